package fake

import (
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// PartsOf is the number of values that ListParts expects at "a/0000", "a/0001" and so on.
const PartsOf = 2500

// ListParts lists some of PartsOf keys, selected by prefixes and start keys. It checks the entries,
// and that each listing takes one request.
func ListParts(t *testing.T, srv *Server, st store.Store) {
	t.Helper()
	srv.Requests()
	for _, tt := range []struct {
		o       store.ListOptions
		entries int
	}{
		{store.ListOptions{KeyPrefix: "24"}, 100},
		{store.ListOptions{Depth: store.OneLevel, KeyPrefix: "24"}, 100},
		{store.ListOptions{StartAfter: "2400"}, 99},
		{store.ListOptions{KeyPrefix: "1", StartAfter: "1989"}, 10},
	} {
		n := 0
		for e, err := range st.List(t.Context(), "a", tt.o) {
			if err != nil || !tt.o.Match("a", e) {
				t.Fatalf("%+v: %+v, %v", tt.o, e, err)
			}
			n++
		}
		if r := len(srv.Requests()); n != tt.entries || r != 1 {
			t.Errorf("%+v: %d entries by %d requests, want %d by one", tt.o, n, r, tt.entries)
		}
	}
}
