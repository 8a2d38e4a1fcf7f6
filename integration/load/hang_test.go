package load

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestHangingWay checks twelve reads of 40 chunks if 3 % of the requests never get a response.
// There is no deadline. The reads must return correct values within three stall timeouts. The test
// sets a shorter timeout than the default of 30 s.
func TestHangingWay(t *testing.T) { each(t, hangingWay) }

func hangingWay(t *testing.T, b bucket.Provider) {
	t.Parallel() // most of the time is spent waiting
	const (
		stall  = 3 * time.Second
		reads  = 12
		chunks = 40
		period = 100
		hang   = 3 // number of hanging requests in each period
	)
	var on atomic.Bool
	var n, hung atomic.Int64
	var met sync.Map
	p, u := through(t, b, faultproxy.Config{Script: func(r *http.Request) faultproxy.Fault {
		// Requests do not hang at random, because then one request would sometimes hang three times
		// in a row. Each key hangs once.
		if !on.Load() || n.Add(1)%(period/hang) != 0 {
			return faultproxy.Fault{}
		}
		if _, again := met.LoadOrStore(r.URL.Path, true); again {
			return faultproxy.Fault{}
		}
		hung.Add(1)
		return faultproxy.Fault{Kind: faultproxy.Hang}
	}})
	st, err := b.Impatient(context.Background(), u, stall)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	a := create(t, st, "x", zarr.Spec{Shape: []int{chunks * 10}, Chunks: []int{10}, DType: dtype.Int64, Fill: -1})
	want := make([]int64, chunks*10)
	for i := range want {
		want[i] = int64(i)
	}
	succeed(t, zarr.Write(context.Background(), a, want))
	on.Store(true)
	took := make([]time.Duration, reads)
	err = concurrency.EachN(context.Background(), reads, reads, func(ctx context.Context, i int) error {
		start := time.Now()
		got, err := zarr.Read[int64](ctx, a)
		took[i] = time.Since(start)
		if err == nil && differ(got, want) >= 0 {
			t.Errorf("read %d: wrong at element %d", i, differ(got, want))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for i, d := range took {
		if d > 3*stall {
			t.Errorf("read %d took %v, with a stall limit of %v", i, d, stall)
		}
	}
	if hung.Load() == 0 {
		t.Error("no request hung: the test shows nothing")
	}
	t.Logf("%d of %d requests hung; reads took %v", hung.Load(), p.Stats().Requests, took)
}
