package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/fault"
)

// kind is the kind of an operation.
type kind string

const (
	doOpen        kind = "open"
	doWrite       kind = "write"
	doAppend      kind = "append"
	doWriter      kind = "writer"
	doResize      kind = "resize"
	doAttrs       kind = "attrs"
	doRefresh     kind = "refresh"
	doRead        kind = "read"
	doCached      kind = "cached read"
	doOrphans     kind = "orphans"
	doDrop        kind = "drop claim"
	doConsolidate kind = "consolidate"
	doMigrate     kind = "migrate"
	doRemove      kind = "remove"
	doCreate      kind = "create"
	doRun         kind = "run"
	doVerify      kind = "verify"
)

// op is one call of the library.
type op struct {
	id        int
	by        *actor
	kind      kind
	text      string
	began     int // step at which the operation began
	over      bool
	ended     int   // step at which the operation ended
	err       error // set at the end
	faults    int   // number of injected faults
	cancelled bool
	cancel    context.CancelFunc
	lates     int  // requests in flight
	lateDoc   bool // a document that it put arrived late
	waits     bool // it has the option Wait
	tolerant  bool // its error is checked by the caller
	wrote     []written
	deleted   []string   // keys of deleted chunks
	opened    *node.Node // for a write, the array's documents when it was opened
	made      string     // key of the document of an array that a create put, until it withdraws it
	withdrew  bool       // a create withdrew its document, because its second look failed or met another node

	// The following fields are for changes of a shape.
	axis    int
	n       int                  // number of rows
	row     func(r, j int) int32 // the element j of row r
	targets []*truth
	// labelled means that the operation is an append to a dataset.
	labelled bool
	parts    map[*truth]*part
	appends  zarr.AppendOptions
	options  zarr.ResizeOptions
	target   []int // new shape of a resize
}

// written is a region whose elements an operation writes.
type written struct {
	t *truth
	b box
}

// part is the effect of one operation on one array.
type part struct {
	claimed   int   // step of its last document that did not change the shape
	touched   bool  // the array's document was put
	done      int   // number of visible rows
	first     int   // index of the first visible row
	was       []int // the shape before
	shape     []int // the shape after
	completes bool  // the operation writes the rows of another actor's append again
}

func (o *op) part(t *truth) *part {
	p := o.parts[t]
	if p == nil {
		p = &part{claimed: o.began}
		if o.parts == nil {
			o.parts = map[*truth]*part{}
		}
		o.parts[t] = p
	}
	return p
}

func (o *op) String() string {
	return strings.TrimSpace(fmt.Sprintf("{%d#%d %s %s", o.by.id, o.id, o.kind, o.text)) + "}"
}

// value is the k-th value of the operation.
func (o *op) value(k int) int32 { return int32(o.id*perOp + 1 + k) }

// actor is one process.
type actor struct {
	h       *history
	id      int
	rng     *rand.Rand
	healthy bool // no faults are injected
	dead    bool
	last    []*request // requests that were sent before the actor died
	cancel  context.CancelFunc
	gate    *gate
	op      *op
	count   int // number of operations
	limits  *concurrency.Limits
	cache   *cache.Cache
	stale   bool             // the cache may have values older than the store's
	since   map[*truth][]int // for cached reads, the step of the last own change that an element must show
}

// actor creates an actor and runs it.
func (h *history) actor(healthy bool, run func(ctx context.Context, a *actor)) {
	a := &actor{h: h, id: len(h.actors), healthy: healthy, rng: rand.New(rand.NewPCG(h.seed, uint64(100+len(h.actors))))}
	a.gate = &gate{h, a}
	a.limits = &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 20)}
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	h.mu.Lock() // an earlier actor may end already
	h.actors = append(h.actors, a)
	h.running++
	h.mu.Unlock()
	go func() {
		defer func() {
			cancel()
			p := recover()
			h.mu.Lock()
			defer h.mu.Unlock()
			if p != nil {
				h.fail("panic: %v\n%s", p, debug.Stack())
			}
			h.running--
		}()
		run(ctx, a)
	}()
}

// die ends an actor as SIGKILL does.
func (a *actor) die() {
	a.dead = true
	a.cancel()
}

// store returns the store as the actor sees it, opened once.
func (a *actor) store() *gate { return a.gate }

func (a *actor) options(more ...zarr.Option) []zarr.Option {
	o := []zarr.Option{zarr.Limit(zarr.Limits{Shared: a.limits})}
	if a.cache != nil {
		o = append(o, zarr.Cache(a.cache))
	}
	return append(o, more...)
}

// gone reports whether the actor has died.
func (a *actor) gone() bool {
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	return a.dead || a.h.bad != ""
}

// do runs one operation. When it has ended, do calls end with the lock held, unless the actor is
// dead.
func (a *actor) do(ctx context.Context, o *op, call func(context.Context) error, end func(err error)) {
	a.count++
	o.id, o.by = (a.id+1)*40+a.count, a
	ctx, o.cancel = context.WithCancel(ctx)
	defer o.cancel()
	if err := a.store().do(ctx, begin, string(o.kind)+" "+o.text, "", nil, func() error {
		a.h.ops[o.id] = o
		a.op = o
		o.began = a.h.step
		return nil
	}); err != nil {
		return
	}
	err := call(ctx)
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	o.over, o.ended, o.err = true, a.h.step, err
	if a.dead || a.h.bad != "" {
		if o.lates == 0 {
			o.settle(a.h.step)
		}
		return
	}
	a.h.note("%v: %s", o, result(err))
	if err == nil && o.withdrew {
		a.h.fail("%v succeeds, although it withdrew its document", o)
	}
	if why := o.refuses(err); why != "" {
		a.h.fail("%v: %s: %v", o, why, err)
	}
	if end != nil {
		end(err)
	}
	if err != nil && o.lates == 0 {
		o.settle(a.h.step)
	}
}

func result(err error) string {
	if err == nil {
		return "nil"
	}
	return err.Error()
}

// refuses returns the reason why an operation may not return an error, or "" if it may.
func (o *op) refuses(err error) string {
	h := o.by.h
	switch {
	case err == nil, o.tolerant:
		return ""
	case o.by.healthy:
		return "a healthy actor with TakeOver fails"
	case errors.Is(err, errLost):
		if o.faults == 0 {
			return "no request was lost"
		}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		if o.faults == 0 {
			return "no context ended"
		}
	case errors.Is(err, fault.Conflict):
		if o.waits && h.hale && !h.over {
			return "Wait, and all others are healthy"
		}
		if o.kind == doWrite && h.injected == 0 {
			// The documentation of Write says: "done again if somebody did".
			return "a plain write is no conflict"
		}
	case errors.Is(err, fault.Exists):
		if o.appends.At == nil && o.kind != doCreate && o.kind != doRun && o.kind != doVerify && o.kind != doMigrate {
			return "unexpected error"
		}
	case errors.Is(err, fault.Selection):
		// The rows were made for an array with another shape.
		if o.kind != doAppend && o.kind != doWriter && o.kind != doWrite {
			return "unexpected error"
		}
	case errors.Is(err, fault.NotFound):
		if !h.removes {
			return "unexpected error"
		}
	default:
		return "unexpected error"
	}
	return ""
}
