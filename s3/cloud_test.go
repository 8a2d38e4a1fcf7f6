package s3

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// cloud replaces the network: it handles the requests to every host in this process. It is the
// transport of object requests and of the credential services.
type cloud struct {
	serve http.HandlerFunc          // receives the request with the scheme and host of its URL
	fails func(*http.Request) error // an error of the transport, or nil

	mu   sync.Mutex
	seen []*http.Request
	body []string
}

func (c *cloud) Do(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	c.mu.Lock()
	c.seen = append(c.seen, r.WithContext(context.WithValue(r.Context(), bodyKey{}, string(body))))
	c.body = append(c.body, string(body))
	c.mu.Unlock()
	if c.fails != nil {
		if err := c.fails(r); err != nil {
			return nil, err
		}
	}
	in := r.Clone(r.Context())
	in.Body = io.NopCloser(bytes.NewReader(body))
	in.Host = r.URL.Host
	w := httptest.NewRecorder()
	c.serve(w, in)
	resp := w.Result()
	resp.Request = r
	resp.ContentLength = int64(w.Body.Len())
	return resp, r.Context().Err()
}

// bodyKey is the context key of the body of a recorded request.
type bodyKey struct{}

// RoundTrip implements http.RoundTripper.
func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) { return c.Do(r) }

// requests returns the requests since the last call.
func (c *cloud) requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.seen
	c.seen, c.body = nil, nil
	return seen
}

// hosted serves the fake's bucket to requests whose host starts with the bucket's name, as AWS
// does.
func hosted(f *Fake) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "zarr-test.") {
			r.URL.Path = "/zarr-test" + r.URL.Path
		}
		f.ServeHTTP(w, r)
	}
}

// inCloud replaces the network of a store by c.
func inCloud(t testing.TB, c *cloud) Option {
	t.Helper()
	return option(func(cfg *config) { cfg.httpClient, cfg.services = c, c }, "inCloud(…)")
}
