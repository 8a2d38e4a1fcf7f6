package provider

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// gateway sends all requests to one host.
type gateway struct{ host string }

func (g gateway) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", g.host
	return http.DefaultTransport.RoundTrip(r)
}

// TestElsewhere checks that a response after a redirect to another host is refused. A response from
// a gateway, to which the caller's transport sends requests, is accepted.
func TestElsewhere(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/other":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/here":
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		}
	}))
	defer srv.Close()
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, url string
		rt        http.RoundTripper
		refused   bool
	}{
		{"no redirect", srv.URL, nil, false},
		{"to another host", srv.URL + "/other", nil, true},
		{"on the same host", srv.URL + "/here", nil, false},
		{"gateway", "https://bucket.example/", gateway{u.Host}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := Send(r, (&http.Client{Transport: c.rt}).Do)
			if err == nil {
				_ = resp.Body.Close()
			}
			if errors.Is(err, fault.Refused) != c.refused || (err != nil) != c.refused {
				t.Errorf("got %v", err)
			}
			if c.refused && NoAnswer(err).Kind != error(fault.Refused) {
				t.Errorf("its kind is %v", NoAnswer(err).Kind)
			}
		})
	}
}
