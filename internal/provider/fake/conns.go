package fake

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// InFlight is the number of concurrent requests of Connections. The store must be opened with it.
const InFlight = 64

// AtMost is the maximum number of connections in total. It is greater than InFlight because of a
// rule of net/http: 50 ms after it has read the response, it drops the connection unless it knows
// that the request was written. On a busy machine this happens.
const AtMost = 70

// Connections sends 64 concurrent requests and checks that they use 64 connections. Fewer
// connections cannot carry 64 requests. More connections would mean that the transport dials
// although an idle connection serves the request. Then 64 goroutines read the key "k" repeatedly
// over the same connections.
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

// DeletesAtOnce deletes 200 keys from a server that responds to batches by refuse. It checks that
// each key takes one request. It also checks that at least two of these requests, and at most
// maxInFlight, are in flight at the same time.
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
