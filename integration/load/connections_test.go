package load

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestConnections counts, on the server's side, the connections of a store that may have 64
// requests in flight. There must not be many more than 64, although the store starts without
// connections and with more work. There must never be more than 64 requests in flight.
func TestConnections(t *testing.T) { each(t, connections) }

func connections(t *testing.T, b bucket.Provider) {
	const (
		limit  = 64
		most   = 70
		chunks = 3 * limit
	)
	gate := newGate(limit)
	p, u := through(t, b, faultproxy.Config{Script: gate.pass})
	a := create(t, open(t, b, u, limit), "x", zarr.Spec{Shape: []int{chunks}, Chunks: []int{1}, DType: dtype.Int64, Fill: -1})
	want := make([]int64, chunks)
	for i := range want {
		want[i] = int64(i)
	}
	succeed(t, zarr.Write(t.Context(), a, want))
	p.Reset()
	a, err := zarr.OpenArray(t.Context(), open(t, b, u, limit), "x", zarr.Format(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, shut := range []bool{false, true} { // in the second run no response is sent before the maximum number of requests has arrived
		gate.shut.Store(shut)
		got := make([]int64, chunks)
		err := concurrency.EachN(t.Context(), chunks, chunks, func(ctx context.Context, i int) error {
			return zarr.ReadInto(ctx, a, got[i:i+1], zarr.At(i))
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("other values than were written, or %v", err)
		}
	}
	s := p.Stats()
	if s.PeakInFlight != limit {
		t.Errorf("%d requests in flight at once, want %d", s.PeakInFlight, limit)
	}
	if s.Connections > most {
		t.Errorf("%d connections for %d requests in flight, want at most %d", s.Connections, limit, most)
	}
	t.Logf("%d requests, %d in flight, %d connections", s.Requests, s.PeakInFlight, s.Connections)
}

// gate blocks all requests until n have arrived, if shut is set.
type gate struct {
	n    int64
	shut atomic.Bool
	come atomic.Int64
	full chan struct{}
}

func newGate(n int) *gate { return &gate{n: int64(n), full: make(chan struct{})} }

func (g *gate) pass(r *http.Request) faultproxy.Fault {
	if g.shut.Load() {
		if g.come.Add(1) == g.n {
			close(g.full)
		}
		select {
		case <-g.full:
		case <-r.Context().Done():
		}
	}
	return faultproxy.Fault{}
}
