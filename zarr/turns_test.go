package zarr_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/store"
)

// turns runs actors so that one request at a time reaches the store, in an order that a schedule
// determines. It is used within a synctest bubble.
type turns struct {
	actors  []*actor
	running atomic.Bool
	step    func() // called after each turn; may be nil
}

// actor is the store of one actor. Each request waits for its turn while the actors run.
type actor struct {
	store.Store
	of      *turns
	gate    chan struct{} // a value lets one request pass
	mu      sync.Mutex
	waiting atomic.Int64 // number of waiting requests
	ended   atomic.Bool
	left    int // number of requests before the actor is killed; -1 if it is not killed
}

// newTurns makes actors on a store.
func newTurns(st store.Store, n int) *turns {
	t := &turns{}
	for range n {
		t.actors = append(t.actors, &actor{Store: st, of: t, gate: make(chan struct{}), left: -1})
	}
	return t
}

// free lets all requests of an actor pass without a turn.
func (a *actor) free() { a.gate = nil }

func (a *actor) turn() error {
	if !a.of.running.Load() {
		return nil
	}
	a.mu.Lock()
	waits := a.left != 0 && a.gate != nil
	if waits {
		a.waiting.Add(1)
	}
	a.mu.Unlock()
	if waits {
		<-a.gate
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left == 0 {
		return errKilled
	}
	if a.left > 0 {
		a.left--
	}
	return nil
}

func (a *actor) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := a.turn(); err != nil {
		return store.Value{}, err
	}
	return a.Store.Get(ctx, key, o, buf)
}

func (a *actor) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if err := a.turn(); err != nil {
		return "", err
	}
	return a.Store.Put(ctx, key, b, o)
}

func (a *actor) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if err := a.turn(); err != nil {
		return err
	}
	return a.Store.Delete(ctx, key, o)
}

func (a *actor) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := a.turn(); err != nil {
			yield(store.Entry{}, err)
			return
		}
		a.Store.List(ctx, prefix, o)(yield)
	}
}

// PutParts has only one turn, when the parts become the value.
func (a *actor) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p, err := store.PutParts(ctx, a.Store, key, o)
	return &actorParts{p, a}, err
}

type actorParts struct {
	store.Parts
	of *actor
}

func (p *actorParts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	if err := p.of.turn(); err != nil {
		return "", err
	}
	return p.Parts.Commit(ctx, o)
}

// run runs actors to their end. For each turn for which several actors wait, schedule names one.
// After the end of schedule, the first waiting actor is chosen. choices has the number of waiting
// actors for each of these turns. An actor that has not ended and is not in a request is asleep.
func (t *turns) run(schedule []int, do ...func()) (choices []int) {
	t.running.Store(true)
	for i, a := range t.actors {
		go func() {
			do[i]()
			a.ended.Store(true)
		}()
	}
	for {
		synctest.Wait()
		var who []*actor
		done := true
		for _, a := range t.actors {
			done = done && a.ended.Load()
			if a.waiting.Load() > 0 {
				who = append(who, a)
			}
		}
		if t.step != nil {
			t.running.Store(false)
			t.step()
			t.running.Store(true)
		}
		if done {
			t.running.Store(false)
			return choices
		}
		if len(who) == 0 {
			time.Sleep(time.Millisecond)
			continue
		}
		k := 0
		if len(who) > 1 {
			if len(choices) < len(schedule) {
				k = schedule[len(choices)] % len(who)
			}
			choices = append(choices, len(who))
		}
		who[k].waiting.Add(-1)
		who[k].gate <- struct{}{}
	}
}

// someOrders calls try with schedules made from a seed, and with those that switch once from one
// actor to the other.
func someOrders(t *testing.T, seed uint64, n int, try func(t *testing.T, schedule []int) []int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	for i := 0; i < n; i += race.Stride(19) {
		schedule := make([]int, 400)
		for k := range schedule {
			switch i % 4 {
			case 0:
				schedule[k] = min(1, k/(1+i/4)) // the first one, then the other one
			case 1:
				schedule[k] = 1 - min(1, k/(1+i/4))
			default:
				schedule[k] = r.IntN(1 << 10)
			}
		}
		synctest.Test(t, func(t *testing.T) { try(t, schedule) })
		if t.Failed() {
			t.Fatalf("order %d of seed %d", i, seed)
		}
	}
}

// everyOrder calls try with one schedule after another until all orders of the requests of its
// actors were tried, or most of them. try returns the result of run.
func everyOrder(t *testing.T, most int, try func(t *testing.T, schedule []int) []int) {
	t.Helper()
	var schedule []int
	most = (most + race.Stride(19) - 1) / race.Stride(19)
	for n := 1; n <= most; n++ {
		var choices []int
		synctest.Test(t, func(t *testing.T) { choices = try(t, schedule) })
		if t.Failed() {
			t.Fatalf("with the schedule %v", schedule)
		}
		full := make([]int, len(choices))
		copy(full, schedule)
		for len(full) > 0 && full[len(full)-1]+1 >= choices[len(full)-1] {
			full = full[:len(full)-1]
		}
		if len(full) == 0 {
			t.Log(fmt.Sprint(n, " orders"))
			return
		}
		full[len(full)-1]++
		schedule = full
	}
	t.Log(fmt.Sprint(most, " orders, not all"))
}
