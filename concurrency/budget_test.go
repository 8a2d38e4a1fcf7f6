package concurrency

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// queue acquires holds one after the other and records the order in which they are granted.
type queue struct {
	t       *testing.T
	b       *Budget
	granted chan string
	holds   map[string]*Hold
	mu      *sync.Mutex
}

func newQueue(t *testing.T, size int64) *queue {
	return &queue{t: t, b: NewBudget(size), granted: make(chan string, 100), holds: map[string]*Hold{}, mu: &sync.Mutex{}}
}

// ask acquires in the background. It returns when the reservation is granted or waits.
func (q *queue) ask(name string, k Kind, n int64) {
	go func() {
		h, err := q.b.Acquire(q.t.Context(), k, n)
		if err != nil {
			q.t.Error(err)
			return
		}
		q.mu.Lock()
		q.holds[name] = h
		q.mu.Unlock()
		q.granted <- name
	}()
	synctest.Wait()
}

func (q *queue) release(name string) {
	q.mu.Lock()
	h := q.holds[name]
	q.mu.Unlock()
	h.Release()
	synctest.Wait()
}

// want checks which reservations were granted since the previous call.
func (q *queue) want(names ...string) {
	q.t.Helper()
	var got []string
	for len(q.granted) > 0 {
		got = append(got, <-q.granted)
	}
	slices.Sort(got) // goroutines that are woken together run in any order
	slices.Sort(names)
	if !slices.Equal(got, names) {
		q.t.Fatalf("granted %q, want %q", got, names)
	}
}

func TestTaskWaitsInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80) // 70 for Tasks
		q.ask("first", Task, 50)
		q.want("first")
		q.ask("large", Task, 30)
		q.ask("small", Task, 10) // would fit, but arrived later
		q.want()
		q.release("first")
		q.want("large", "small")
		q.release("large")
		q.release("small")
		if now, peak := q.b.Used(); now != 0 || peak != 50 {
			t.Errorf("%d held, %d at most", now, peak)
		}
	})
}

func TestTaskLargerThanItsShareRunsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		q.ask("huge", Task, 1000)
		q.want("huge")
		q.ask("small", Task, 1)
		q.ask("larger", Task, 2000)
		q.ask("last", Task, 1)
		q.want()
		q.ask("index", Index, 10) // has its own share
		q.want("index")
		q.release("huge")
		q.want("small")
		q.release("small")
		q.want("larger")
		q.release("larger")
		q.want("last")
		q.release("last")
		q.release("index")
	})
}

func TestIndexHasItsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		q.ask("a", Index, 6)
		q.ask("b", Index, 4)
		q.want("a", "b")
		q.ask("c", Index, 1)
		q.ask("large", Index, 11)
		q.want()
		q.ask("task", Task, 70)
		q.want("task")
		q.release("a")
		q.want("c")
		q.release("b")
		q.want()
		q.release("c")
		q.want("large") // no other Index is held
		q.release("large")
		q.release("task")
	})
}

func TestAheadNeverWaitsAndLeavesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		a, ok := q.b.Try(Ahead, 40)
		if !ok {
			t.Fatal("half of the budget was refused")
		}
		if _, ok := q.b.Try(Ahead, 1); ok {
			t.Error("more than half of the budget is ahead")
		}
		q.ask("task", Task, 30)
		q.ask("index", Index, 10)
		q.want("task", "index")
		if now, peak := q.b.Used(); now != 80 || peak != 80 {
			t.Errorf("%d held, %d at most", now, peak)
		}
		a.Release()
		q.ask("more", Task, 41)
		q.want()
		for _, k := range []Kind{Task, Index, Ahead} {
			if _, ok := q.b.Try(k, 1); ok {
				t.Errorf("kind %d was granted before an earlier waiter", k)
			}
		}
		if h, ok := q.b.Try(Task, 0); !ok {
			t.Error("nothing was refused")
		} else {
			h.Release()
		}
		q.release("task")
		q.want("more")
		if _, ok := q.b.Try(Ahead, 30); ok {
			t.Error("Task and Ahead together got more than their share")
		}
		a, ok = q.b.Try(Ahead, 29)
		if !ok {
			t.Error("what is left was refused")
		}
		a.Release()
		q.release("more")
		q.release("index")
		if _, ok := q.b.Try(Task, 71); ok {
			t.Error("Try went beyond the share")
		}
	})
}

// TestBlockWaitsForTasks checks that a Block waits for the Tasks granted before it, and that later
// Tasks wait for the Block.
func TestBlockWaitsForTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80) // 50 for Blocks, 70 with Tasks
		q.ask("a", Task, 30)
		q.ask("b", Task, 40)
		q.want("a", "b")
		q.ask("block", Block, 50)
		q.ask("task", Task, 20)
		q.ask("other", Block, 1)
		q.want()
		q.ask("index", Index, 10) // has its own share
		q.want("index")
		q.release("a")
		q.want()
		q.release("b")
		q.want("block", "task")
		for _, k := range []Kind{Task, Block, Ahead} {
			if _, ok := q.b.Try(k, 1); ok {
				t.Errorf("kind %d was granted before an earlier waiter", k)
			}
		}
		q.release("block")
		q.want("other")
		for _, name := range []string{"task", "other", "index"} {
			q.release(name)
		}
		if now, peak := q.b.Used(); now != 0 || peak != 80 {
			t.Errorf("%d held, %d at most", now, peak)
		}
	})
}

// TestBlockLargerThanItsShareIsAlone checks that no other Block is held concurrently with such a
// Block, and that Tasks run one at a time.
func TestBlockLargerThanItsShareIsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		q.ask("block", Block, 70)
		q.ask("small", Task, 10)
		q.want("block", "small")
		q.ask("task", Task, 1)
		q.ask("other", Block, 100)
		q.ask("last", Task, 1)
		q.want()
		q.release("small")
		q.want("task")
		q.release("block")
		q.want() // the other Block fits its share, and waits for the Task
		q.release("task")
		q.want("other", "last") // at least one Task always runs
		q.release("other")
		q.release("last")
		if now, _ := q.b.Used(); now != 0 {
			t.Errorf("%d held", now)
		}
	})
}

func TestAcquireAheadPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Acquire waited for what may not wait")
		}
	}()
	_, _ = NewBudget(1).Acquire(t.Context(), Ahead, 1)
}

func TestAcquireNowAheadPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was granted past Try")
		}
	}()
	NewBudget(1).AcquireNow(Ahead, 1)
}

// TestAcquireNow checks that AcquireNow succeeds if Acquire would not wait, and otherwise reserves
// nothing. It also succeeds for more than the share if no other memory of the kind is held.
func TestAcquireNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		huge, ok := q.b.AcquireNow(Task, 1000)
		if !ok {
			t.Fatal("nothing is held, and a Task waits")
		}
		if _, ok := q.b.AcquireNow(Task, 1); ok {
			t.Error("beside one that is alone")
		}
		if h, ok := q.b.AcquireNow(Task, -1); !ok {
			t.Error("nothing was refused")
		} else {
			h.Release()
		}
		q.ask("waits", Task, 1000)
		q.want()
		if h, ok := q.b.AcquireNow(Index, 1); !ok {
			t.Error("an Index does not wait for Tasks")
		} else {
			h.Release()
		}
		huge.Release()
		synctest.Wait()
		q.want("waits")
		q.release("waits")
		if now, _ := q.b.Used(); now != 0 {
			t.Errorf("%d bytes are held", now)
		}
	})
}

func TestAcquireOfNothingNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		q.ask("huge", Task, 1000)
		q.ask("waits", Task, 1)
		q.ask("nothing", Task, 0)
		q.ask("less", Task, -5)
		q.want("huge", "nothing", "less")
		q.release("nothing")
		q.release("less")
		q.release("huge")
		q.want("waits")
		q.release("waits")
	})
}

func TestCancelledWaiterLetsTheOthersGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		q.ask("first", Task, 50)
		boom := errors.New("boom")
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := make(chan error, 1)
		go func() { _, err := q.b.Acquire(ctx, Task, 60); gone <- err }()
		synctest.Wait()
		q.ask("small", Task, 10)
		q.want("first")
		cancel(boom)
		if err := <-gone; !errors.Is(err, boom) {
			t.Errorf("%v, want the cause", err)
		}
		synctest.Wait()
		q.want("small")
		if _, err := q.b.Acquire(ctx, Task, 1); !errors.Is(err, boom) {
			t.Errorf("%v, want the cause", err)
		}
		q.release("first")
		q.release("small")
	})
}

// TestGrantAndCancelAtOnce grants a reservation and ends its context at the same time. Either
// result is correct, but no bytes may remain reserved.
func TestGrantAndCancelAtOnce(t *testing.T) {
	b := NewBudget(8)
	for range 2000 {
		h, err := b.Acquire(t.Context(), Task, 8)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if h, err := b.Acquire(ctx, Task, 8); err == nil {
				h.Release()
			}
		})
		wg.Go(cancel)
		runtime.Gosched()
		h.Release()
		wg.Wait()
		if now, _ := b.Used(); now != 0 {
			t.Fatalf("%d bytes are held", now)
		}
	}
}

func TestShrinkWakesAndNeverGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 80)
		q.ask("first", Task, 70)
		q.ask("second", Task, 20)
		q.want("first")
		h := q.holds["first"]
		h.Shrink(51)
		h.Shrink(60)
		synctest.Wait()
		q.want()
		h.Shrink(50)
		synctest.Wait()
		q.want("second")
		buf := h.Buffer(30)
		h.Shrink(0) // not below the buffers in use
		if now, _ := q.b.Used(); now != 20+30 || cap(buf) != 30 {
			t.Errorf("%d held", now)
		}
		q.release("first")
		q.release("second")
	})
}

func TestNeed(t *testing.T) {
	for _, c := range []struct {
		n    int
		want int64
	}{{-1, 0}, {0, 0}, {1, 1}, {64, 64}, {65, 72}, {1024, 1024}, {1025, 1152}, {1152, 1152}, {1153, 1280}, {2047, 2048}, {2048, 2048}, {2049, 2304}, {16 << 20, 16 << 20}, {16<<20 + 1, 18 << 20}} {
		if got := Need(c.n); got != c.want {
			t.Errorf("Need(%d) = %d, want %d", c.n, got, c.want)
		}
	}
	for n := 1; n < 1<<20; n += 37 {
		if got := Need(n); got < int64(n) || got > int64(n)+int64(n)/8+1 || Need(int(got)) != got {
			t.Errorf("Need(%d) = %d", n, got)
		}
	}
}

// same reports whether two buffers are the same memory.
func same(a, b []byte) bool { return &a[:1][0] == &b[:1][0] }

func TestBufferIsUsedAgain(t *testing.T) {
	b := NewBudget(1 << 20)
	keep, _ := b.Acquire(t.Context(), Task, 1) // keeps idle buffers from the collector
	defer keep.Release()
	h, _ := b.Acquire(t.Context(), Task, Need(5000)+Need(300))
	first, small := h.Buffer(5000), h.Buffer(300)
	if len(first) != 0 || int64(cap(first)) != Need(5000) || int64(cap(small)) != Need(300) || h.Buffer(0) != nil {
		t.Errorf("buffers of %d of %d and %d", len(first), cap(first), cap(small))
	}
	h.Release()
	h, _ = b.Acquire(t.Context(), Task, 3*Need(5000))
	again, other := h.Buffer(4950), h.Buffer(4950)
	if !same(again, first) || same(other, first) {
		t.Error("the buffer was not used again, or twice")
	}
	h.Release()
}

func TestIdleBuffersMakeRoom(t *testing.T) {
	b := NewBudget(80 << 10)
	acquire := func(k Kind, n int64) *Hold {
		h, err := b.Acquire(t.Context(), k, n)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	keep := acquire(Task, 1)
	defer keep.Release()
	a := acquire(Task, 60<<10)
	first, second := a.Buffer(20<<10), a.Buffer(40<<10)
	a.Release() // 60 KiB idle
	a = acquire(Task, 40<<10)
	if buf := a.Buffer(40 << 10); !same(buf, second) {
		t.Error("an idle buffer was dropped that the hold had room for")
	}
	c := acquire(Task, 29<<10) // takes over the idle 20 KiB, which do not fit beside it
	if n := b.idle.bytes(); n != 0 {
		t.Errorf("%d bytes idle beside a full budget", n)
	}
	if buf := c.Buffer(20 << 10); !same(buf, first) {
		t.Error("an idle buffer was dropped that the hold had room for")
	}
	a.Release()
	c.Release()
	c = acquire(Index, 10<<10)
	if n := b.idle.bytes(); n != 60<<10 {
		t.Errorf("%d bytes idle, want all", n)
	}
	a = acquire(Task, 69<<10)
	a.Buffer(64 << 10) // needs another size than the idle buffers have
	if n := b.held + b.idle.bytes(); n > b.size {
		t.Errorf("%d bytes held and idle", n)
	}
	a.Release()
	c.Release()
	if _, peak := b.Used(); peak > b.size {
		t.Errorf("%d bytes at most", peak)
	}
}

// TestLongBufferIsHandedOn checks that a Task reuses a buffer longer than the budget that the
// previous Task released.
func TestLongBufferIsHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 64<<10)
		q.ask("first", Task, 1<<20)
		q.ask("second", Task, 1<<20)
		buf := q.holds["first"].Buffer(1 << 20)
		q.release("first")
		if !same(q.holds["second"].Buffer(1<<20), buf) {
			t.Error("the buffer was dropped")
		}
		q.release("second")
		if q.b.idle.bytes() != 0 {
			t.Error("the buffer is kept")
		}
	})
}

func TestIdleBuffersAreFreedAtRest(t *testing.T) {
	b := NewBudget(1 << 20)
	collected := make(chan struct{})
	h, _ := b.Acquire(t.Context(), Task, 64<<10)
	buf := h.Buffer(64 << 10)
	runtime.AddCleanup(&buf[:1][0], func(c chan struct{}) { close(c) }, collected)
	h.Release()
	buf = nil
	for {
		runtime.GC()
		select {
		case <-collected:
			h, _ := b.Acquire(t.Context(), Task, 64<<10)
			h.Buffer(64 << 10)
			if now, _ := b.Used(); now != 64<<10 || b.idle.bytes() != 0 {
				t.Errorf("%d held, %d idle", now, b.idle.bytes())
			}
			h.Release()
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func TestBufferBeyondTheHoldIsCounted(t *testing.T) {
	b := NewBudget(100)
	h, _ := b.Acquire(t.Context(), Task, 10)
	if buf := h.Buffer(50); cap(buf) != 50 {
		t.Errorf("%d bytes", cap(buf))
	}
	zero, _ := b.Acquire(t.Context(), Task, 0)
	zero.Buffer(7)
	if now, _ := b.Used(); now != 57 {
		t.Errorf("%d held", now)
	}
	h.Release()
	zero.Release()
	if now, _ := b.Used(); now != 0 || b.kinds[Task].holds != 0 {
		t.Errorf("%d held", now)
	}
}

func TestTrim(t *testing.T) {
	content := bytes.Repeat([]byte("zargo"), 1000)
	for _, c := range []struct {
		name       string
		size, hold int64
		room, used int
		want       int64
	}{
		{"copied", 799 << 10, 100 << 10, 64 << 10, 5000, Need(5000)},
		{"not scarce", 800 << 10, 100 << 10, 64 << 10, 5000, 64 << 10},
		{"no room for a copy", 100 << 10, 64 << 10, 64 << 10, 5000, 64 << 10},
		{"saves too little", 799 << 10, 100 << 10, 6000, 5000, Need(6000)},
		{"nothing", 799 << 10, 100 << 10, 64 << 10, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBudget(c.size)
			h, _ := b.Acquire(t.Context(), Task, c.hold)
			h.Buffer(100)
			buf := append(h.Buffer(c.room), content[:c.used]...)
			h.Buffer(200)
			got := h.Trim(buf)
			if !bytes.Equal(got, content[:c.used]) {
				t.Error("the bytes differ")
			}
			if now, _ := b.Used(); now < c.want || now > c.want {
				t.Errorf("%d bytes held, want %d", now, c.want)
			}
			if got := h.Trim(content); !bytes.Equal(got, content) {
				t.Error("memory of others was changed")
			}
			h.Release()
			if now, _ := b.Used(); now != 0 {
				t.Errorf("%d held", now)
			}
		})
	}
}

func TestPut(t *testing.T) {
	b := NewBudget(1 << 20)
	h, _ := b.Acquire(t.Context(), Task, 10<<10)
	first := h.Buffer(8 << 10)
	h.Put(first[:100])
	h.Put([]byte("not of this hold"))
	if again := h.Buffer(8 << 10); !same(again, first) {
		t.Error("another buffer was made")
	} else {
		h.Put(again)
	}
	h.Buffer(10 << 10) // drops the other buffer
	if now, peak := b.Used(); now != 10<<10 || peak > 20<<10 {
		t.Errorf("%d held, %d at most", now, peak)
	}
	h.Release()
	if now, _ := b.Used(); now != 0 {
		t.Errorf("%d held", now)
	}
}

func TestDetach(t *testing.T) {
	b := NewBudget(1 << 20)
	keep, _ := b.Acquire(t.Context(), Task, 1)
	defer keep.Release()
	h, _ := b.Acquire(t.Context(), Task, 4096+2048)
	mine, other := h.Buffer(4096), h.Buffer(2048)
	h.Detach(mine)
	h.Detach([]byte("not of this hold"))
	if now, _ := b.Used(); now != 1+2048 {
		t.Errorf("%d held", now)
	}
	h.Release()
	h, _ = b.Acquire(t.Context(), Task, 4096+2048)
	if same(h.Buffer(4096), mine) || !same(h.Buffer(2048), other) {
		t.Error("the detached buffer was given again, or the other one not")
	}
	h.Release()
}

// TestBudgetUnderLoad runs many goroutines in parallel, for the race detector. Each fills its
// buffers and checks that their contents do not change.
func TestBudgetUnderLoad(t *testing.T) {
	b := NewBudget(256 << 10)
	err := EachN(t.Context(), 64, 2000, func(ctx context.Context, i int) error {
		r := rand.New(rand.NewPCG(uint64(i), 0))
		k := Kind(r.IntN(2))
		n := 1 + r.IntN(64<<10)
		if k == Index {
			n /= 8
		}
		h, err := b.Acquire(ctx, k, int64(n))
		if err != nil {
			return err
		}
		defer h.Release()
		bufs := [][]byte{h.Buffer(n / 3), h.Buffer(n / 3)}
		for j := range bufs {
			for len(bufs[j]) < cap(bufs[j]) {
				bufs[j] = append(bufs[j], byte(i+j))
			}
		}
		if ahead, ok := b.Try(Ahead, int64(n)); ok {
			defer ahead.Release()
		}
		runtime.Gosched()
		bufs[1] = h.Trim(bufs[1][:len(bufs[1])/4])
		for _, c := range bufs[1] {
			if c != byte(i+1) {
				t.Error("a buffer had two users")
			}
		}
		return nil
	})
	if now, peak := b.Used(); err != nil || now != 0 || peak > 256<<10 {
		t.Errorf("err %v, %d held, %d at most", err, now, peak)
	}
}

func BenchmarkAcquire(b *testing.B) {
	budget := NewBudget(1 << 30)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			h, err := budget.Acquire(context.Background(), Task, Need(8000))
			if err != nil {
				b.Fatal(err)
			}
			h.Buffer(8000)
			h.Release()
		}
	})
}
