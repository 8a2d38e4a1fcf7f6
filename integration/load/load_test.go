package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

const (
	workers  = 100
	own      = 13 // rows of each worker: fewer than a chunk has, so that neighbours share chunks
	columns  = 24
	inFlight = 16 // what the store is told to allow
)

// spec is an array with own rows for each of n workers, in chunks that belong to several.
func spec(n int) zarr.Spec {
	return zarr.Spec{
		Shape: []int{n * own, columns}, Chunks: []int{32, 16}, DType: dtype.Int64, Fill: -1, Codecs: []codec.Spec{codec.Zstd(1), codec.CRC32C()},
	}
}

func create(t *testing.T, st store.Store, path string, n int) *zarr.Array {
	t.Helper()
	a, err := zarr.Create(t.Context(), st, path, spec(n))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// value is what worker w writes in a turn at an element of its region; it names its owner.
func value(w, turn, i int) int64 { return int64(w)<<40 | int64(turn)<<20 | int64(i) }

func region(w, turn int) []int64 {
	src := make([]int64, own*columns)
	for i := range src {
		src[i] = value(w, turn, i)
	}
	return src
}

// work has n goroutines write their regions turn after turn, read them back, and look at what others wrote. Half of them
// share one opened array, half open their own, so that they take turns in one way or conflict in the other.
func work(t *testing.T, st store.Store, path string, n, turns int) error {
	t.Helper()
	shared, err := zarr.OpenArray(t.Context(), st, path)
	if err != nil {
		return err
	}
	err = concurrency.EachN(t.Context(), n, n, func(ctx context.Context, w int) error {
		a := shared
		if w%2 == 1 {
			var err error
			if a, err = zarr.OpenArray(ctx, st, path); err != nil {
				return err
			}
		}
		r := rand.New(rand.NewPCG(1, uint64(w)))
		for turn := range turns {
			mine := zarr.Range(w*own, (w+1)*own)
			src := region(w, turn)
			if err := zarr.Write(ctx, a, src, mine); err != nil {
				return err
			}
			got, err := zarr.Read[int64](ctx, a, mine)
			if err != nil {
				return err
			}
			if i := differ(got, src); i >= 0 {
				return fmt.Errorf("worker %d, turn %d: element %d is %x right after %x was written", w, turn, i, got[i], src[i])
			}
			other := r.IntN(n)
			got, err = zarr.Read[int64](ctx, a, zarr.Range(other*own, (other+1)*own))
			if err != nil {
				return err
			}
			for i, v := range got {
				if v != -1 && (v>>40 != int64(other) || v&(1<<20-1) != int64(i)) {
					return fmt.Errorf("worker %d finds %x at element %d of worker %d", w, v, i, other)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	all, err := zarr.Read[int64](t.Context(), shared)
	if err != nil {
		return err
	}
	for w := range n {
		if i := differ(all[w*own*columns:(w+1)*own*columns], region(w, turns-1)); i >= 0 {
			return fmt.Errorf("worker %d's last write is lost at element %d", w, i)
		}
	}
	return nil
}

func differ(a, b []int64) int {
	for i := range b {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

func TestHundredGoroutines(t *testing.T) {
	p, u := through(t, faultproxy.Config{})
	before := runtime.NumGoroutine()
	st, err := s3.Open(t.Context(), u, s3.MaxInFlight(inFlight))
	if err != nil {
		t.Fatal(err)
	}
	create(t, st, "x", workers)
	if err := work(t, st, "x", workers, 3); err != nil {
		t.Error(err)
	}
	stats := p.Stats()
	// More than one in flight at least, or the bound would show nothing.
	if stats.PeakInFlight > inFlight || stats.PeakInFlight < 2 {
		t.Errorf("%d requests in flight at once, want at most %d and more than one", stats.PeakInFlight, inFlight)
	}
	t.Logf("%d requests, at most %d in flight, %d connections", stats.Requests, stats.PeakInFlight, stats.Connections)
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	settle(t, before)
}

// through puts a proxy before the bucket and gives the URL that leads through it.
func through(t *testing.T, cfg faultproxy.Config) (*faultproxy.Proxy, string) {
	t.Helper()
	u := bucket.URL(t)
	p := faultproxy.Start(t, bucket.Endpoint(t, u), cfg)
	return p, bucket.Through(t, u, p.Addr())
}

// settle waits until no more goroutines run than before, and says which do if they never end.
func settle(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

// TestFaultyWay has 5 % of all requests meet a 503, 5 % a reset, 5 % a body cut short and 5 % an answer that is lost after
// the server did its part, each alone and all together.
func TestFaultyWay(t *testing.T) {
	const share = 0.05
	tests := []struct {
		name  string
		rates faultproxy.Rates
		kinds []faultproxy.Kind
	}{
		{"503", faultproxy.Rates{SlowDown: share}, []faultproxy.Kind{faultproxy.SlowDown}},
		{"reset", faultproxy.Rates{Reset: share}, []faultproxy.Kind{faultproxy.Reset}},
		{"truncated", faultproxy.Rates{Truncate: share}, []faultproxy.Kind{faultproxy.Truncate}},
		{"lost", faultproxy.Rates{Lost: share}, []faultproxy.Kind{faultproxy.Lost}},
		{
			"all", faultproxy.Rates{SlowDown: share, Reset: share, Truncate: share, Lost: share},
			[]faultproxy.Kind{faultproxy.SlowDown, faultproxy.Reset, faultproxy.Truncate, faultproxy.Lost},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, u := through(t, faultproxy.Config{Seed: 1, Rates: tt.rates})
			st, err := s3.Open(t.Context(), u, s3.Retry(retry.Backoff(time.Millisecond, 20*time.Millisecond)))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = st.Close() }()
			create(t, st, "x", 30)
			if err := work(t, st, "x", 30, 4); err != nil {
				t.Error(err)
			}
			stats := p.Stats()
			for _, k := range tt.kinds {
				if stats.Faults[k] == 0 {
					t.Errorf("no request met %q: the test shows nothing", k)
				}
			}
			t.Logf("%d requests, %v", stats.Requests, stats.Faults)
		})
	}
}
