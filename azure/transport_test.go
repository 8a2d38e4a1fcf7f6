package azure

import (
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestConnections checks that there are as many connections as requests in flight.
func TestConnections(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("k", object{value: make([]byte, 1000)})
	fake.Connections(t, f.Server, open(t, f.At(""), MaxInFlight(fake.InFlight)))
}

// TestConnectionsOfFailures checks that failures, absent keys and conflicts do not close
// connections.
func TestConnectionsOfFailures(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for range 20 {
		_, _ = s.Get(t.Context(), "absent", store.GetOptions{}, nil)
		_, _ = s.Get(t.Context(), "absent", store.GetOptions{Range: store.Suffix(3)}, nil)
		_, _ = s.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true})
		_, _ = s.Get(t.Context(), "k", store.GetOptions{Range: store.From(7)}, nil)
		_ = s.Delete(t.Context(), "absent", store.DeleteOptions{})
	}
	if got := f.Conns(); got > 2 {
		t.Errorf("%d connections for one request at a time", got)
	}
}

func TestTransport(t *testing.T) {
	tr := newTransport(16)
	if tr.MaxConnsPerHost != 16 || !tr.DisableCompression || tr.Proxy == nil || tr.ForceAttemptHTTP2 {
		t.Errorf("%+v", tr)
	}
}
