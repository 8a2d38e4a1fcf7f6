package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// slow takes a second for each Put.
type slow struct{ store.Store }

func (s slow) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	time.Sleep(time.Second)
	return s.Store.Put(ctx, key, b, o)
}

// TestWaits: what is waited for is reported with how long that took, and what is had at once is not.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []string
		ctx := store.WithTrace(t.Context(), &store.Trace{Wait: func(_ context.Context, w store.Wait) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprint(w.For, " ", w.Took))
		}})
		a := array(t, slow{mem.New()}, 16)
		limits := a.Options.Limits
		src := make([]byte, 16)
		for i := range src {
			src[i] = byte(i + 1)
		}
		whole := func() error { return a.Write(ctx, memory(src), grid.Whole(a.Layout.Shape)) }
		part := func() error { return a.Write(ctx, memory(src[:3]), grid.Region{{Start: 1, Step: 1, Count: 3}}) }
		for _, tt := range []struct {
			name string
			do   func() error
			want []string
		}{
			{"nothing", whole, nil},
			{"memory", func() error {
				hold, ok := limits.Bytes.AcquireNow(concurrency.Task, limits.Bytes.Size())
				if !ok {
					t.Fatal("the budget is in use")
				}
				time.AfterFunc(2*time.Second, hold.Release)
				return whole()
			}, []string{"bytes 2s"}},
			{"a processor", func() error {
				slot, ok := limits.CPU.Try()
				if !ok {
					t.Fatal("the slot is in use")
				}
				time.AfterFunc(3*time.Second, slot.Release)
				return whole()
			}, []string{"cpu 3s"}},
			{"a key", func() error { return concurrency.EachN(ctx, 2, 2, func(context.Context, int) error { return part() }) }, []string{"key 1s"}},
			{"a wait that is given up", func() error {
				slot, ok := limits.CPU.Try()
				if !ok {
					t.Fatal("the slot is in use")
				}
				defer slot.Release()
				ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
				defer cancel()
				if err := a.Write(ctx, memory(src), grid.Whole(a.Layout.Shape)); err == nil {
					t.Error("written without a processor")
				}
				return nil
			}, []string{"cpu 4s"}},
		} {
			seen = nil
			if err := tt.do(); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if !slices.Equal(seen, tt.want) {
				t.Errorf("%s: %q, want %q", tt.name, seen, tt.want)
			}
			free(t, a)
		}
	})
}
