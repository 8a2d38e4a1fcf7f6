package azure

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// As many connections as requests in flight, and no more: the SDK's own transport keeps 10 and reconnects.
func TestConnections(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("k", object{value: make([]byte, 1000)})
	f.Answer(func(http.ResponseWriter, *http.Request) bool { time.Sleep(time.Millisecond); return false })
	s := open(t, f.At(""), MaxInFlight(64))
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			for j := range 20 {
				if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil {
					t.Error(err)
				}
				if _, err := s.Put(t.Context(), fmt.Sprint(i, "/", j), make([]byte, 100), store.PutOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := f.Conns(); got > 64 {
		t.Errorf("%d connections for 64 requests in flight", got)
	}
}

// Failures, absences and conflicts do not cost a connection each.
func TestConnectionsOfFailures(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for range 20 {
		_, _ = s.Get(t.Context(), "absent", store.GetOptions{}, nil)
		_, _ = s.Get(t.Context(), "absent", store.GetOptions{Range: store.Last(3)}, nil)
		_, _ = s.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true})
		_, _ = s.Get(t.Context(), "k", store.GetOptions{Range: store.From(7)}, nil)
		_ = s.Delete(t.Context(), "absent", store.DeleteOptions{})
	}
	if got := f.Conns(); got > 2 {
		t.Errorf("%d connections for one request at a time", got)
	}
}

func TestTransport(t *testing.T) {
	tr := newTransport(300)
	if tr.MaxIdleConnsPerHost != 300 || tr.MaxIdleConns != 300 || tr.MaxConnsPerHost != 300 || !tr.DisableCompression || tr.Proxy == nil || tr.ForceAttemptHTTP2 {
		t.Errorf("%+v", tr)
	}
	if got := newTransport(1).MaxIdleConns; got != defaultRequests {
		t.Errorf("%d idle connections", got)
	}
}
