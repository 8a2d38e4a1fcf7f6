package fake

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Redirects checks that a provider that sends credentials does not follow redirects to another
// host. The other host must not receive a request. If client is not nil, it opens a store whose
// client follows redirects. That store must not return the value of the other host.
func Redirects(t *testing.T, p Provider, version store.Version, client func(t testing.TB, url string, h Following) store.Store) {
	other, w := p.Serve(t)
	if _, err := w.Put(t.Context(), "k", bytes.Repeat([]byte("x"), 100), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	srv, _ := p.Serve(t)
	other.Requests()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			srv.Answer(func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, other.URL+r.URL.RequestURI(), status)
				return true
			})
			for verb, err := range Verbs(context.Background(), p.Open(t, srv.URL, nil, retry.Tries(1)), version) {
				if err == nil {
					t.Errorf("%s succeeded", verb)
				}
			}
			if got := other.Requests(); len(got) > 0 {
				t.Errorf("the other host got %q", got)
			}
			if client == nil {
				return
			}
			v, err := client(t, srv.URL, Following{&http.Client{}}).Get(t.Context(), "k", store.GetOptions{}, nil)
			if err == nil || len(v.Bytes) > 0 {
				t.Errorf("by a client that follows: %d bytes of the other host, %v", len(v.Bytes), err)
			}
			other.Requests()
		})
	}
}

// Following is a client that follows redirects and is not an *http.Client.
type Following struct{ h *http.Client }

// Do sends a request.
func (f Following) Do(r *http.Request) (*http.Response, error) { return f.h.Do(r) }
