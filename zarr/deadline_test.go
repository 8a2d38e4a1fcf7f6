package zarr_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestDeadlineKeepsTheCause checks that a call that ends by its deadline while the bucket refuses
// its requests matches both errors: reads of one and of many chunks, with and without a cache,
// alone and joined, and the opening of an array.
func TestDeadlineKeepsTheCause(t *testing.T) {
	for _, test := range []struct {
		name string
		opts func() []zarr.Option
	}{
		{"without cache", func() []zarr.Option { return nil }},
		{"with cache", func() []zarr.Option { return []zarr.Option{zarr.Cache(cache.New(1<<20, cache.Revalidate(0)))} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := mem.New()
				succeed(t, second(zarr.Create(t.Context(), m, "a", zarr.Spec{Shape: []int{64}, Chunks: []int{1}, DType: dtype.Int32, Codecs: []codec.Spec{}})))
				refuse := false
				st, err := retry.New(store.Around(m, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
					if refuse {
						return ctx, fault.Newf(fault.Throttled, "SlowDown")
					}
					return ctx, nil
				}}), retry.Tries(1000), retry.Elapsed(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				a := mustOpen(t, st, "a", test.opts()...)
				refuse = true
				within := func(d time.Duration, f func(context.Context) error) {
					ctx, cancel := context.WithTimeout(t.Context(), d)
					defer cancel()
					if err := f(ctx); !errors.Is(err, zarr.ErrThrottled) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, zarr.ErrNotFound) {
						t.Errorf("%v", err)
					}
				}
				read := func(sel zarr.Selection) func(context.Context) error {
					return func(ctx context.Context) error {
						_, err := zarr.Read[int32](ctx, a, sel)
						return err
					}
				}
				within(10*time.Second, read(zarr.At(3)))
				within(10*time.Second, read(zarr.All))
				done := make(chan struct{})
				go func() { defer close(done); within(time.Minute, read(zarr.At(5))) }()
				synctest.Wait()
				within(10*time.Second, read(zarr.At(5)))
				<-done
				within(10*time.Second, func(ctx context.Context) error { _, err := zarr.Open(ctx, st, "a"); return err })
				within(10*time.Second, func(ctx context.Context) error { return zarr.Write(ctx, a, []int32{1}, zarr.Range(0, 1)) })
			})
		})
	}
}
