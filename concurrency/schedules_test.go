package concurrency

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
)

// TestSchedules runs calls that acquire all kinds of locks in the order of the package comment:
// copies of regions, reads of chunks and of shards, partial writes, and loops over blocks that are
// read ahead, with calls and loops in their bodies. Each reservation is made in a budget, its
// child, or a child of that. Tasks need up to three times the budget. Requests fail and contexts
// end. The test checks that every call ends, and that no budget exceeds the bound in Budget's
// comment.
func TestSchedules(t *testing.T) {
	const inBubble = 250
	n := 100_000
	if race.Enabled {
		n = 2_000
	} else if testing.Short() {
		n = 10_000
	}
	var next, tasks, alone, ahead, blocks, failed atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for {
				from := next.Add(inBubble) - inBubble
				if from >= int64(n) || t.Failed() {
					return
				}
				synctest.Test(t, func(t *testing.T) {
					for seed := from; seed < from+inBubble; seed++ {
						w := newWorld(seed)
						w.run(t)
						tasks.Add(w.tasks.Load())
						alone.Add(w.alone.Load())
						ahead.Add(w.ahead.Load())
						blocks.Add(w.blocks.Load())
						failed.Add(w.failed.Load())
					}
				})
			}
		})
	}
	t.Cleanup(func() {
		t.Logf("%d tasks, %d of them larger than the share, %d blocks ahead, %d copies, %d calls that failed", tasks.Load(), alone.Load(), ahead.Load(), blocks.Load(), failed.Load())
		if !t.Failed() && (alone.Load() == 0 || ahead.Load() == 0 || blocks.Load() == 0 || failed.Load() == 0) {
			t.Error("something was never tried")
		}
	})
}

const worldSize = 16 << 10

var errRequest = errors.New("request failed")

type world struct {
	seed     int64
	bytes    *Budget
	budgets  []*Budget // bytes, and those below it
	requests *Slots
	cpu      *CPU
	keys     KeyedMutex
	loads    SingleFlight[string, int]

	tasks, alone, ahead, blocks, failed atomic.Int64
	mostTask, mostIndex, mostBlock      atomic.Int64
}

func newWorld(seed int64) *world {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	w := &world{seed: seed, bytes: NewBudget(worldSize), requests: NewSlots(1 + r.IntN(4)), cpu: NewCPU(1 + r.IntN(2))}
	w.budgets = append(w.budgets, w.bytes)
	for range r.IntN(4) {
		w.budgets = append(w.budgets, w.budgets[r.IntN(len(w.budgets))].Child(size(r, 5, 120)))
	}
	return w
}

// budget returns a random budget of the tree.
func (w *world) budget(r *rand.Rand) *Budget { return w.budgets[r.IntN(len(w.budgets))] }

func (w *world) run(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(w.seed), 2))
	chains := 2 + r.IntN(6)
	left, done := atomic.Int64{}, make(chan struct{})
	left.Store(int64(chains))
	for i := range chains {
		go func() {
			w.chain(t.Context(), rand.New(rand.NewPCG(uint64(w.seed), uint64(10+i))))
			if left.Add(-1) == 0 {
				close(done)
			}
		}()
	}
	select {
	case <-done:
	case <-time.After(time.Hour): // in the bubble: nothing else can run any more
		panic(fmt.Sprintf("seed %d: deadlock with %d of %d calls under way: %+v", w.seed, left.Load(), chains, w.bytes.kinds))
	}

	for i, b := range w.budgets {
		now, peak := b.Used()
		ahead := b.size / 2
		if most := w.mostBlock.Load(); most > 0 {
			ahead = max(b.size/8*5, ahead+most)
		}
		most := max(b.size/8, w.mostIndex.Load()) + max(b.size/8*7, ahead+w.mostTask.Load())
		if now != 0 || peak > most {
			t.Errorf("seed %d: budget %d: %d bytes held at the end, %d at most, want no more than %d", w.seed, i, now, peak, most)
		}
		for k, l := range b.kinds {
			if l.used != 0 || l.holds != 0 || len(l.waiting) != 0 || len(b.settling) != 0 {
				t.Errorf("seed %d: budget %d: kind %d is left with %+v", w.seed, i, k, l)
			}
		}
	}
	if w.requests.Held() != 0 || len(w.cpu.free) != w.cpu.Slots() || len(w.keys.names) != 0 || len(w.loads.loads) != 0 {
		t.Errorf("seed %d: slots, keys or loads are left", w.seed)
	}
}

func (w *world) chain(ctx context.Context, r *rand.Rand) {
	if r.IntN(4) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(60))*time.Millisecond)
		defer cancel()
	}
	nap(r)
	if err := w.call(ctx, r, 0); err != nil {
		w.failed.Add(1)
	}
}

func (w *world) call(ctx context.Context, r *rand.Rand, depth int) error {
	switch k := r.IntN(10); {
	case k < 3 && depth < 3:
		return w.loop(ctx, r, depth)
	case k < 5:
		return w.write(ctx, r)
	case k < 7:
		return w.copy(ctx, r)
	default:
		return w.read(ctx, r)
	}
}

// copy reads a region and writes it elsewhere.
func (w *world) copy(ctx context.Context, r *rand.Rand) error {
	n := size(r, 1, 120)
	raise(&w.mostBlock, n)
	w.blocks.Add(1)
	block, err := w.budget(r).Acquire(ctx, Block, n)
	if err != nil {
		return err
	}
	defer block.Release()
	block.Buffer(int(n))
	if err := w.read(ctx, r); err != nil {
		return err
	}
	return w.write(ctx, r)
}

// loop reads blocks ahead of a consumer that makes further calls.
func (w *world) loop(ctx context.Context, r *rand.Rand, depth int) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	type block struct {
		hold *Hold
		done chan struct{}
		err  error // set when done
	}
	var started []*block
	defer func() {
		cancel()
		for _, b := range started {
			<-b.done
			b.hold.Release()
		}
	}()
	last := 1 + r.IntN(4)
	for i := range 1 + r.IntN(5) {
		if len(started) > 0 {
			b := started[0]
			started = started[1:]
			<-b.done
			err = b.err
			b.hold.Release() // the consumer owns the block
		} else {
			err = w.read(ctx, r)
		}
		if err != nil || i == last {
			return err
		}
		for len(started) < 3 {
			h, ok := w.budget(r).Try(Ahead, size(r, 1, 60))
			if !ok {
				break
			}
			w.ahead.Add(1)
			b := &block{hold: h, done: make(chan struct{})}
			started = append(started, b)
			own := rand.New(rand.NewPCG(r.Uint64(), 0))
			go func() {
				defer close(b.done)
				b.err = w.read(ctx, own)
			}()
		}
		nap(r)
		if r.IntN(2) == 0 {
			if err := w.call(ctx, r, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) read(ctx context.Context, r *rand.Rand) error {
	inFlight := 1 + r.IntN(3)
	slots := NewSlots(inFlight)
	seed := r.Uint64()
	return EachN(ctx, inFlight, 1+r.IntN(3), func(ctx context.Context, i int) error {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		if r.IntN(5) < 2 {
			return w.shard(ctx, r, slots)
		}
		return w.leaf(ctx, r, slots, size(r, 10, 300))
	})
}

func (w *world) shard(ctx context.Context, r *rand.Rand, slots *Slots) error {
	n := size(r, 1, 20)
	raise(&w.mostIndex, n)
	index, err := w.budget(r).Acquire(ctx, Index, n)
	if err != nil {
		return err
	}
	defer index.Release()
	seed := r.Uint64()
	if _, _, err := w.loads.Do(ctx, string(rune('a'+r.IntN(3))), func(ctx context.Context) (int, error) {
		r := rand.New(rand.NewPCG(seed, 0))
		return 0, w.task(ctx, r, size(r, 1, 10))
	}); err != nil {
		return err
	}
	return EachN(ctx, 2, r.IntN(3), func(ctx context.Context, i int) error {
		r := rand.New(rand.NewPCG(seed, uint64(1+i)))
		return w.leaf(ctx, r, slots, size(r, 10, 60))
	})
}

// leaf is work with a call slot: one chunk, or one range of a shard.
func (w *world) leaf(ctx context.Context, r *rand.Rand, slots *Slots, n int64) error {
	if err := slots.Acquire(ctx); err != nil {
		return err
	}
	defer slots.Release()
	err := w.task(ctx, r, n)
	if err == nil && r.IntN(10) == 0 { // the value is longer: retry
		err = w.task(ctx, r, n+size(r, 1, 100))
	}
	return err
}

func (w *world) task(ctx context.Context, r *rand.Rand, n int64) error {
	hold, err := w.acquire(ctx, r, n)
	if err != nil {
		return err
	}
	defer hold.Release()
	b := hold.Buffer(int(n / 3))
	if err := w.request(ctx, r); err != nil {
		return err
	}
	if r.IntN(4) == 0 {
		hold.Shrink(n / 2)
	}
	if err := w.decode(ctx, r); err != nil {
		return err
	}
	if len(b) != 0 || int64(cap(b)) < n/3 {
		panic("another buffer was returned")
	}
	return nil
}

func (w *world) write(ctx context.Context, r *rand.Rand) error {
	key, err := w.keys.Lock(ctx, string(rune('a'+r.IntN(2))))
	if err != nil {
		return err
	}
	defer key.Unlock()
	n := size(r, 10, 150)
	hold, err := w.acquire(ctx, r, n)
	if err != nil {
		return err
	}
	defer hold.Release()
	old := hold.Buffer(int(n / 3))
	if err := w.request(ctx, r); err != nil {
		return err
	}
	if err := w.decode(ctx, r); err != nil {
		return err
	}
	encoded := hold.Buffer(int(n / 3))
	encoded = hold.Trim(append(encoded, old[:n/8]...))
	if int64(len(encoded)) != n/8 {
		panic("bytes were lost")
	}
	return w.request(ctx, r)
}

func (w *world) acquire(ctx context.Context, r *rand.Rand, n int64) (*Hold, error) {
	raise(&w.mostTask, n)
	w.tasks.Add(1)
	if n > worldSize/8*7 {
		w.alone.Add(1)
	}
	return w.budget(r).Acquire(ctx, Task, n)
}

func (w *world) request(ctx context.Context, r *rand.Rand) error {
	if err := w.requests.Acquire(ctx); err != nil {
		return err
	}
	defer w.requests.Release()
	nap(r)
	if r.IntN(30) == 0 {
		return errRequest
	}
	return nil
}

func (w *world) decode(ctx context.Context, r *rand.Rand) error {
	slot, err := w.cpu.Acquire(ctx)
	if err != nil {
		return err
	}
	defer slot.Release()
	if more, ok := w.cpu.Try(); ok {
		defer more.Release()
	}
	nap(r)
	return nil
}

func nap(r *rand.Rand) { time.Sleep(time.Duration(r.IntN(8)) * time.Millisecond) }

// size returns a random number of bytes between from and to percent of the budget. Small numbers
// are more likely.
func size(r *rand.Rand, from, to int) int64 {
	to = min(to, from+r.IntN(to-from+1))
	return worldSize * int64(from+r.IntN(to-from+1)) / 100
}

func raise(a *atomic.Int64, n int64) {
	for old := a.Load(); n > old && !a.CompareAndSwap(old, n); old = a.Load() {
	}
}
