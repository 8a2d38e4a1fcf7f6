package transfer_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// sending is a store that records the current and the maximum number of bytes in concurrent puts.
type sending struct {
	store.Store
	of *sent
}

type sent struct {
	mu        sync.Mutex
	now, most int
}

func (s sending) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	s.of.add(len(value))
	defer s.of.add(-len(value))
	for range 100 {
		runtime.Gosched() // let other puts start
	}
	return s.Store.Put(ctx, key, value, o)
}

func (s *sent) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += n
	s.most = max(s.most, s.now)
}

// TestSharedMemory checks that concurrent transfers together do not exceed the budget of the
// process.
func TestSharedMemory(t *testing.T) {
	const chunk, budget = 256 << 10, 4 << 20
	for name, codecs := range map[string][]codec.Spec{"blocks": {codec.CRC32C()}, "encoded": nil} {
		limits := &concurrency.Limits{CPU: concurrency.NewCPU(0), Bytes: concurrency.NewBudget(budget)}
		src, of := mem.New(), &sent{}
		a := must(zarr.Create(t.Context(), src, "a", zarr.Spec{Shape: []int{32 * chunk}, Chunks: []int{chunk}, DType: dtype.Uint8, Codecs: []codec.Spec{}}))
		values := make([]byte, 32*chunk)
		for i := range values {
			values[i] = byte(i*7>>3 | 1)
		}
		check(t, zarr.Write(t.Context(), a, values))
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				dst := mem.New()
				p, err := transfer.NewPlan(t.Context(), a, dst, transfer.Options{Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst"}, Codecs: codecs})
				if err != nil {
					t.Error(err)
					return
				}
				p.Stages[0].Steps[0].Block = []int{1}
				open := func(_ context.Context, name string) (store.Store, error) {
					if name == "src" {
						return kept{src}, nil
					}
					return sending{kept{dst}, of}, nil
				}
				if err := transfer.Run(t.Context(), p, open, transfer.RunOptions{Parallel: 8, Limits: limits}); err != nil {
					t.Error(err)
					return
				}
				equal(t, a, must(zarr.OpenArray(t.Context(), dst, "")))
			})
		}
		all.Wait()
		if of.most > budget || of.most < chunk {
			t.Errorf("%s: %d bytes of chunks were sent at once, with a budget of %d", name, of.most, budget)
		}
		if now, peak := limits.Bytes.Used(); now != 0 || peak > budget || peak < chunk {
			t.Errorf("%s: %d bytes are reserved in the end, and %d were at most", name, now, peak)
		}
	}
}

// TestTargetInACache checks that a transfer invalidates the entries of its target in a cache of the
// process, whether it copies stored objects or encodes chunks.
func TestTargetInACache(t *testing.T) {
	for name, chunks := range map[string][]int{"as it is stored": nil, "in other chunks": {3}} {
		t.Run(name, func(t *testing.T) {
			ctx, dst := t.Context(), mem.New()
			c := cache.New(1<<20, cache.Immutable())
			spec := zarr.Spec{Shape: []int{8}, Chunks: []int{2}, DType: dtype.Int32}
			old := must(zarr.Create(ctx, dst, "out", spec, zarr.Cache(c)))
			check(t, zarr.Write(ctx, old, []int32{1, 2, 3, 4, 5, 6, 0, 0}))
			must(zarr.Read[int32](ctx, old))
			check(t, store.DeleteBelow(ctx, dst, "out")) // through the store, so the cache keeps its entries

			src := mem.New()
			a := must(zarr.Create(ctx, src, "in", spec))
			want := []int32{11, 0, 0, 0, 15, 16, 17, 18}
			check(t, zarr.Write(ctx, a, want))
			w := newWorld(t, src, dst)
			o := transfer.Options{Target: transfer.Place{Path: "out"}}
			if chunks != nil {
				o.Grid = func(*zarr.Array) ([]int, []int, error) { return chunks, nil, nil }
			}
			w.run(w.plan(a, o))
			got := must(zarr.Read[int32](ctx, must(zarr.OpenArray(ctx, dst, "out", zarr.Cache(c)))))
			if !slices.Equal(got, want) {
				t.Errorf("read %v, want %v", got, want)
			}
		})
	}
}
