package fake

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// InFlight is the number of concurrent requests that the test Connections sends. The store must be
// opened with this maximum number of requests in flight.
const InFlight = 64

// AtMost is the maximum total number of connections in the test Connections. It is greater than
// InFlight because net/http drops a connection if, 50 ms after the response was read, the request
// is not known to be completely written. This happens on busy machines.
const AtMost = 70

// Connections sends 64 concurrent requests and checks that they use 64 connections. With more
// connections, the transport would have dialed for requests that an idle connection served. Then 64
// goroutines read the key "k" repeatedly, and must use the same connections.
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
		arrived.Wait() // all of them are in flight
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

// DeletesAtOnce deletes 200 keys from a server that refuses batches with the response refuse. It
// checks that each key takes one request, and that between 2 and maxInFlight of these requests are
// in flight at the same time.
func DeletesAtOnce(t *testing.T, srv *Server, st store.Store, maxInFlight int, refuse Answer) {
	t.Helper()
	keys := make([]string, 200)
	for i := range keys {
		keys[i] = fmt.Sprintf("c/%d", i)
		if _, err := st.Put(t.Context(), keys[i], []byte("v"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var now, peak, deletes int
	two := make(chan struct{})
	srv.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodDelete {
			return refuse(w, r)
		}
		mu.Lock()
		deletes++
		now++
		if peak = max(peak, now); now == 2 && deletes == 2 {
			close(two)
		}
		mu.Unlock()
		defer func() {
			mu.Lock()
			now--
			mu.Unlock()
		}()
		select {
		case <-two: // the first waits for a second
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
			t.Error("one delete waits for another")
		}
		return false
	})
	defer srv.Answer(nil)
	if err := store.DeleteAll(t.Context(), st, keys); err != nil {
		t.Error(err)
	}
	if deletes != len(keys) || peak < 2 || peak > maxInFlight {
		t.Errorf("%d requests for %d keys, %d at once, want at most %d", deletes, len(keys), peak, maxInFlight)
	}
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		t.Errorf("%s is left, %v", e.Key, err)
	}
}
