package transfer_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
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
