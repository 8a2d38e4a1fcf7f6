package load

import (
	"runtime"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

const (
	workers  = 100
	turns    = 2
	inFlight = 16 // the store's limit
)

func TestHundredGoroutines(t *testing.T) {
	each(t, hundred)
	t.Run("dir", func(t *testing.T) {
		st := dir.New(t.TempDir())
		create(t, st, "x", spec(workers))
		r, err := work(t.Context(), st, "x", workers, turns)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r)
	})
}

func hundred(t *testing.T, b bucket.Provider) {
	u := b.URL(t)
	before := runtime.NumGoroutine()
	p := faultproxy.Start(t, bucket.Endpoint(t, u), faultproxy.Config{RewriteHost: b.OwnHost})
	st := open(t, b, bucket.Through(t, u, p.Addr()), inFlight)
	create(t, st, "x", spec(workers))
	// If the format is not set, requests for v2 metadata that are slower than the response for v3
	// are cancelled, and the proxy counts them until it notices.
	r, err := work(t.Context(), st, "x", workers, turns, zarr.Format(3))
	if err != nil {
		t.Error(err)
	}
	stats := p.Stats()
	// At least two requests must have been in flight, otherwise the limit was not tested.
	if stats.PeakInFlight > inFlight || stats.PeakInFlight < 2 {
		t.Errorf("%d requests in flight at once, want at most %d and more than one", stats.PeakInFlight, inFlight)
	}
	t.Logf("%v; %d requests, at most %d in flight, %d connections", r, stats.Requests, stats.PeakInFlight, stats.Connections)
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	settle(t, before)
}
