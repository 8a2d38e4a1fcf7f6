package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// perOp is the maximum number of different values that one operation writes.
const perOp = 1000

// errLost is the error of an operation whose request or response was lost.
var errLost = fmt.Errorf("the model lost it: %w", fault.Unavailable)

// errDead is the error of all requests of a dead actor.
var errDead = fmt.Errorf("the actor is dead: %w", context.Canceled)

// late is a request whose sender no longer waits for it. It arrives at a later step.
type late struct {
	*request
	due int
}

// history is one run: the actors, the store, and the values that may be stored.
type history struct {
	seed    uint64
	rng     *rand.Rand // random choices of the scheduler
	below   store.Store
	raw     store.Store // store without planted faults, for look
	batches bool
	record  bool // record the events
	events  []string

	mu       sync.Mutex // held by the scheduler while it works, and by actors while they record
	waiting  []*request
	actors   []*actor
	running  int // actors that have not ended
	step     int
	lates    []late
	faults   int // number of faults that may still be injected
	injected int
	switches float64 // probability of a switch to another actor
	current  *actor
	ops      map[int]*op
	world    world
	bad      string // the first violation
	counts   map[string]int
	idle     int
	over     bool // some operation takes over or drops claims
	removes  bool // some operation removes arrays
	only     int  // number of actors; 0 means random
	hale     bool // no faults are injected
	peaceful bool // no claim of another actor is taken over or dropped before the recovery
}

// world is the part of a history that depends on its family: the initial state, the operations of
// the actors, and the invariants.
type world interface {
	// applied is called for each request that changed the store.
	applied(r *request)
	// look reads the store itself and compares it with the model.
	look(what string)
}

func (h *history) wait(r *request) {
	h.mu.Lock()
	h.waiting = append(h.waiting, r)
	h.mu.Unlock()
}

// fail records a violation, which ends the history.
func (h *history) fail(format string, args ...any) {
	if h.bad == "" {
		h.bad = fmt.Sprintf(format, args...)
		if h.injected == 0 && !h.over {
			h.bad = "with healthy actors alone: " + h.bad
		}
		h.note("VIOLATED: %s", h.bad)
	}
}

// count counts an event, for the totals of a survey.
func (h *history) count(what string) {
	if h.counts == nil {
		h.counts = map[string]int{}
	}
	h.counts[what]++
}

func (h *history) note(format string, args ...any) {
	if h.record {
		h.events = append(h.events, fmt.Sprintf("%4d  ", h.step)+fmt.Sprintf(format, args...))
	}
}

// loop runs the actors until all have ended.
func (h *history) loop() {
	for {
		synctest.Wait()
		h.mu.Lock()
		if h.bad != "" || h.step > maxSteps {
			if h.bad == "" {
				h.fail("no end after %d requests", h.step)
			}
			for _, a := range h.actors {
				a.die()
			}
		}
		slices.SortStableFunc(h.waiting, order)
		switch {
		case h.cancelled():
		case len(h.waiting) == 0 && h.running == 0:
			h.mu.Unlock()
			return
		case len(h.waiting) == 0 || h.faults > 0 && h.rng.IntN(100) == 0:
			// Sleeping actors continue. A fifth of the histories' time passes in this way.
			if h.idle++; h.idle > maxIdle && h.bad == "" {
				h.fail("an operation hangs")
			}
			h.mu.Unlock()
			time.Sleep(time.Second)
			continue
		default:
			h.idle = 0
			h.next()
		}
		h.mu.Unlock()
	}
}

const (
	maxSteps = 6000
	maxIdle  = 600 // seconds; the longest wait of an operation is 60
)

// cancelled decides the fate of a request whose context has ended, and reports whether there was
// one. It ends one request at a time, so that the first error does not depend on the goroutines.
func (h *history) cancelled() bool {
	for _, r := range h.waiting {
		err := r.ctx.Err()
		if r.by.dead {
			err = errDead
		}
		if err != nil {
			i := slices.Index(h.waiting, r)
			h.waiting = slices.Delete(h.waiting, i, i+1)
			h.abandon(r, err)
			return true
		}
	}
	return false
}

// abandon ends a request for its sender: the request never arrives, has arrived, or arrives later.
func (h *history) abandon(r *request, err error) {
	h.step++
	fate := "is dropped"
	if r.changes() && h.bad == "" && !r.spent() {
		switch h.rng.IntN(3) {
		case 0:
			fate = h.apply(r) + ", nobody hears it"
		case 1:
			if r.mayBeLate() {
				fate = "is on its way"
				h.delay(r)
			}
		}
	}
	h.note("%v %s", r, fate)
	h.finish(r, err)
}

// spent reports whether the actor was already dead when it sent the request. Such a request is not
// sent.
func (r *request) spent() bool { return r.by.dead && !slices.Contains(r.by.last, r) }

// mayBeLate returns false for unconditional deletes of whole objects by resizes and removals, as
// documented: "a Resize that is taken over while it deletes must have ended"
// ([zarr.AppendOptions]), and a removal "asks nothing about versions" (upkeep.Removal).
func (r *request) mayBeLate() bool {
	return r.verb != del || r.detail != "" || r.op == nil || r.op.kind == doWrite
}

func (h *history) delay(r *request) {
	due := never
	switch h.rng.IntN(3) {
	case 0:
		due = h.step + 1 + h.rng.IntN(10)
	case 1:
		due = h.step + 10 + h.rng.IntN(60)
	}
	h.lates = append(h.lates, late{r, due})
	if r.op != nil {
		r.op.lates++
	}
}

// apply sends a request to the store.
func (h *history) apply(r *request) string {
	r.err = r.run()
	if r.err != nil {
		return "fails: " + short(r.err)
	}
	if r.changes() {
		h.world.applied(r)
	}
	return "ok"
}

func (h *history) finish(r *request, err error) {
	r.err = err
	close(r.done)
}

// next releases one request, or injects a fault.
func (h *history) next() {
	h.arrive(func(l late) bool { return l.due <= h.step })
	a := h.turn()
	var mine []*request
	for _, r := range h.waiting {
		if r.by == a {
			mine = append(mine, r)
		}
	}
	r := mine[h.rng.IntN(len(mine))]
	for _, d := range mine {
		if d.verb == del && !d.mayBeLate() {
			r = d
		}
	}
	h.step++
	if h.faults > 0 && !a.healthy && r.verb != begin && a.op != nil {
		p := 40
		if r.changes() {
			p = 8
		}
		if h.rng.IntN(p) == 0 {
			h.faults--
			h.injected++
			a.op.faults++
			h.inject(a, r)
			return
		}
	}
	for _, s := range mine {
		if s == r || !r.changes() && same(s, r) {
			fate := h.apply(s)
			if s == r {
				h.note("%v %s", s, fate)
			}
			h.release(s, s.err)
		}
	}
	if r.changes() && h.rng.IntN(24) == 0 {
		h.world.look("after " + r.String())
	}
}

func (h *history) release(r *request, err error) {
	i := slices.Index(h.waiting, r)
	h.waiting = slices.Delete(h.waiting, i, i+1)
	h.finish(r, err)
}

// turn picks an actor that has a request.
func (h *history) turn() *actor {
	for _, r := range h.waiting {
		if r.verb == del && !r.mayBeLate() {
			return r.by // such a request is not delayed either
		}
	}
	var ready []*actor
	for _, a := range h.actors {
		if slices.ContainsFunc(h.waiting, func(r *request) bool { return r.by == a }) {
			ready = append(ready, a)
		}
	}
	if slices.Contains(ready, h.current) && h.rng.Float64() >= h.switches {
		return h.current
	}
	h.current = ready[h.rng.IntN(len(ready))]
	return h.current
}

// inject injects one fault of an actor at one of its requests.
func (h *history) inject(a *actor, r *request) {
	switch h.rng.IntN(4) {
	case 0:
		h.note("%v: actor %d dies", r, a.id)
		for _, s := range h.waiting {
			if s.by == a {
				a.last = append(a.last, s)
			}
		}
		a.die()
	case 1:
		h.note("%v: the context of actor %d ends", r, a.id)
		a.op.cancelled = true
		a.op.cancel()
	case 2:
		fate := h.apply(r)
		h.note("%v %s, and the response is lost", r, fate)
		h.release(r, errLost)
	default:
		h.note("%v is lost", r)
		if r.changes() && r.mayBeLate() && h.rng.IntN(2) == 0 {
			h.note("... on its way")
			h.delay(r)
		}
		h.release(r, errLost)
	}
}

// arrive applies late requests.
func (h *history) arrive(now func(late) bool) {
	for i := 0; i < len(h.lates); {
		l := h.lates[i]
		if !now(l) {
			i++
			continue
		}
		h.lates = slices.Delete(h.lates, i, i+1)
		h.step++
		h.note("LATE %v %s", l.request, func() string {
			err := l.run()
			if err != nil {
				return "fails: " + short(err)
			}
			if l.op != nil && isDocument(l.key) {
				l.op.lateDoc = true
			}
			h.world.applied(l.request)
			return "ok"
		}())
		if o := l.op; o != nil {
			if o.lates--; o.lates == 0 && o.over {
				o.settle(h.step)
			}
		}
	}
}

// coming returns the puts to a key that were sent but have not arrived.
func (h *history) coming(key string) (all []*request) {
	for _, l := range h.lates {
		all = append(all, l.request)
	}
	all = append(all, h.waiting...)
	return slices.DeleteFunc(all, func(r *request) bool { return r.verb != put || r.key != key || r.op == nil })
}

// flush applies all late requests.
func (h *history) flush() {
	h.arrive(func(late) bool { return true })
}

func isDocument(key string) bool {
	name := key[strings.LastIndexByte(key, '/')+1:]
	return name == "zarr.json" || strings.HasPrefix(name, ".z")
}

// short returns an error without its context.
func short(err error) string {
	for _, k := range []error{fault.Exists, fault.Conflict, fault.NotFound, fault.Unchanged, context.Canceled, fault.Unavailable} {
		if errors.Is(err, k) {
			return k.Error()
		}
	}
	return err.Error()
}

func (r *request) String() string {
	s := fmt.Sprintf("%d %s %s", r.by.id, r.verb, r.key)
	if r.detail != "" {
		s += " " + strings.TrimSpace(r.detail)
	}
	if r.verb == put && len(r.value) <= 64 && !isDocument(r.key) {
		s += " " + ints(r.value)
	}
	return s
}

// ints returns the elements of a plain chunk.
func ints(b []byte) string {
	var v []int
	for ; len(b) >= 4; b = b[4:] {
		v = append(v, int(int32(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24)))
	}
	return fmt.Sprint(v)
}

// newStore creates the store below the gates.
func newStore() *mem.Store { return mem.New() }
