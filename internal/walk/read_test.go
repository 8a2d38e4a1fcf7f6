package walk_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/walk"
)

// boxes are n boxes of one element each.
func boxes(n int) []walk.Box {
	shape, all := []int{n}, []walk.Box{}
	for b := range walk.Lattice(shape, walk.Steps(shape, []int{1})) {
		all = append(all, b)
	}
	return all
}

func number(_ context.Context, b walk.Box) (int, error) { return b.At[0], nil }

// TestReadInOrder checks that results arrive in the order of the boxes, and in the order of
// completion with AnyOrder.
func TestReadInOrder(t *testing.T) {
	next := make(chan struct{})
	last := func(ctx context.Context, b walk.Box) (int, error) { // the first box is read last
		switch b.At[0] {
		case 0:
			<-next
		case 3:
			close(next)
		}
		return b.At[0], nil
	}
	var got []int
	for i, err := range walk.Read(t.Context(), walk.Options{Ahead: 3}, slices.Values(boxes(4)), last) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, i)
	}
	if !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("%v", got)
	}
	got, next = nil, make(chan struct{})
	late := func(ctx context.Context, b walk.Box) (int, error) {
		if b.At[0] == 0 {
			<-next
		}
		return b.At[0], nil
	}
	for i, err := range walk.Read(t.Context(), walk.Options{Ahead: 3, AnyOrder: true}, slices.Values(boxes(4)), late) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, i); len(got) == 3 {
			close(next)
		}
	}
	if slices.Index(got, 0) != 3 {
		t.Errorf("%v", got)
	}
}

// TestWalksShareABudget runs walks at once, each within a child of one budget. Their reads reserve
// Tasks of the same budget. The test checks the memory of the boxes of each walk and of all, and
// that all walks finish.
func TestWalksShareABudget(t *testing.T) {
	const size, bytes, walks = 1000, 100, 8
	budget := concurrency.NewBudget(size)
	var together atomic.Int64
	var wg sync.WaitGroup
	for range walks {
		wg.Go(func() {
			var now atomic.Int64
			o := walk.Options{Budget: budget, Bytes: bytes, Ahead: 5, Need: walk.Each(30)}
			read := func(ctx context.Context, b walk.Box) (int, error) {
				if now.Add(30) > bytes {
					t.Error("a walk holds too much")
				}
				if together.Add(30) > size*5/8 {
					t.Error("all walks hold too much")
				}
				hold, err := budget.Acquire(ctx, concurrency.Task, 200)
				if err != nil {
					return 0, err
				}
				hold.Release()
				return b.At[0], nil
			}
			want := 0
			for i, err := range walk.Read(t.Context(), o, slices.Values(boxes(50)), read) {
				if err != nil || i != want {
					t.Errorf("box %d: %d, %v", want, i, err)
				}
				want++
				now.Add(-30)
				together.Add(-30)
			}
			if want != 50 {
				t.Errorf("%d boxes", want)
			}
		})
	}
	wg.Wait()
	if used, _ := budget.Used(); used != 0 {
		t.Errorf("%d bytes are still held", used)
	}
}

// TestLargeBox checks that boxes larger than the memory of the walk, and than the budget, are read
// one at a time.
func TestLargeBox(t *testing.T) {
	budget := concurrency.NewBudget(100)
	o := walk.Options{Budget: budget, Bytes: 50, Ahead: 5, Need: walk.Each(1000)}
	var running atomic.Int32
	n := 0
	for _, err := range walk.Read(t.Context(), o, slices.Values(boxes(5)), func(ctx context.Context, b walk.Box) (int, error) {
		if running.Add(1) > 1 {
			t.Error("two large boxes at once")
		}
		return number(ctx, b)
	}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		running.Add(-1)
	}
	if n != 5 {
		t.Errorf("%d boxes", n)
	}
}

// TestEndOfRead checks that the first error, the end of the context and a break end a walk, wait
// for its reads and release its memory.
func TestEndOfRead(t *testing.T) {
	budget := concurrency.NewBudget(1000)
	fails, ended := errors.New("box 2"), errors.New("ended")
	o := walk.Options{Budget: budget, Bytes: 300, Ahead: 3, Need: walk.Each(10)}
	for name, want := range map[string]error{"error": fails, "context": ended, "break": nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var running atomic.Int32
		read := func(ctx context.Context, b walk.Box) (int, error) {
			running.Add(1)
			defer running.Add(-1)
			if b.At[0] == 2 && name == "error" {
				return 0, fails
			}
			if b.At[0] > 2 { // waits for the end of the walk
				<-ctx.Done()
				return 0, context.Cause(ctx)
			}
			return b.At[0], nil
		}
		var err error
		for i, e := range walk.Read(ctx, o, slices.Values(boxes(10)), read) {
			if err = e; i == 1 && name == "break" {
				break
			}
			if i == 1 && name == "context" {
				cancel(ended)
			}
		}
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if used, _ := budget.Used(); used != 0 || running.Load() != 0 {
			t.Errorf("%s: %d bytes are held, %d reads run", name, used, running.Load())
		}
		cancel(nil)
	}
}

// TestBuffers checks that a buffer is reused only after Put and only if it is long enough.
func TestBuffers(t *testing.T) {
	var b walk.Buffers[int]
	first := b.Make(10)
	second := b.Make(4)
	if &first[0] == &second[0] || cap(second) < 10 {
		t.Errorf("the second buffer has room for %d elements", cap(second))
	}
	b.Put(first)
	if again := b.Make(7); &again[0] != &first[0] || len(again) != 7 {
		t.Errorf("a buffer of %d elements is new", len(again))
	}
	b.Put(second)
	if long := b.Make(11); len(long) != 11 || &long[0] == &second[0] {
		t.Errorf("a buffer of %d elements", len(long))
	}
}
