package fake

import (
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// OnePool checks that consecutive requests of two stores on one bucket share one connection. The
// connection must remain open until both stores are closed.
func OnePool(t *testing.T, p Provider) {
	srv, w := p.Serve(t)
	if _, err := w.Put(t.Context(), "k", []byte("value"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	srv.AllClosed()
	before := srv.Conns()
	a, b := p.Open(t, srv.URL, nil), p.Open(t, srv.URL, nil)
	get := func(s store.Store) {
		t.Helper()
		if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "value" {
			t.Errorf("got %q, %v", v.Bytes, err)
		}
	}
	for range 3 {
		get(a)
		get(b)
	}
	_ = a.Close()
	_ = a.Close() // has no effect the second time
	get(b)
	if n := srv.Conns() - before; n != 1 {
		t.Errorf("%d connections for one request at a time", n)
	}
	_ = b.Close()
	srv.AllClosed()
	get(p.Open(t, srv.URL, nil)) // the bucket can be opened after that
}
