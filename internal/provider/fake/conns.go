package fake

import (
	"net/http"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// InFlight is how many requests Connections makes at once; the store is to be opened with as many.
const InFlight = 64

// AtMost is how many connections may be opened in all. net/http gives up a connection whose request it has not seen
// written 50 ms after the answer was read, which happens on a machine with too much to do.
const AtMost = 70

// Connections makes 64 requests at once and wants 64 connections: fewer cannot carry them, and more would be dialled for
// requests that a free connection then serves. Then 64 workers read the key "k" again and again over the same ones.
func Connections(t *testing.T, srv *Server, st store.Store) {
	t.Helper()
	get := func() {
		if _, err := st.Get(t.Context(), "k", store.GetOptions{Range: store.Within(0, 5)}, nil); err != nil {
			t.Error(err)
		}
	}
	var arrived sync.WaitGroup
	arrived.Add(InFlight)
	srv.Answer(func(http.ResponseWriter, *http.Request) bool {
		arrived.Done()
		arrived.Wait() // all of them are in flight now
		return false
	})
	var wg sync.WaitGroup
	for range InFlight {
		wg.Go(get)
	}
	wg.Wait()
	srv.Answer(nil)
	if n := srv.Conns(); n != InFlight {
		t.Errorf("%d connections for %d requests in flight", n, InFlight)
	}
	for range InFlight {
		wg.Go(func() {
			for range 20 {
				get()
			}
		})
	}
	wg.Wait()
	if n := srv.Conns(); n > AtMost {
		t.Errorf("%d connections after more of the same, with %d requests in flight", n, InFlight)
	}
}
