package serve_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// start serves datasets until the test ends, and returns the address of the server.
func start(t *testing.T, o serve.Options, datasets ...serve.Dataset) string {
	t.Helper()
	h := httptest.NewServer(must(serve.New(o, datasets...)))
	t.Cleanup(h.Close)
	return h.URL
}

// filled returns a store with values.
func filled(t *testing.T, pairs ...string) store.Store {
	st := mem.New()
	for i := 0; i < len(pairs); i += 2 {
		must(st.Put(t.Context(), pairs[i], []byte(pairs[i+1]), store.PutOptions{}))
	}
	return st
}

// reply is a response with its body.
type reply struct {
	*http.Response
	body string
}

// send sends a request. Each argument after the URL is a header "Name: value", or the body.
func send(t *testing.T, method, url string, header ...string) reply {
	t.Helper()
	req := must(http.NewRequestWithContext(t.Context(), method, url, nil))
	for _, h := range header {
		name, value, ok := strings.Cut(h, ": ")
		if !ok {
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader(h)), int64(len(h))
			if h == "" {
				req.Body = http.NoBody
			}
			continue
		}
		req.Header.Add(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return reply{resp, string(must(io.ReadAll(resp.Body)))}
}

// expect compares a response. Each want is "Name: value" of a header, "!Name" of an absent one, or a
// part of the body; with "=", it is the whole body.
func (r reply) expect(t *testing.T, status int, wants ...string) {
	t.Helper()
	if r.StatusCode != status {
		t.Errorf("%s %s: status %d, want %d: %s", r.Request.Method, r.Request.URL, r.StatusCode, status, r.body)
	}
	for _, want := range wants {
		name, value, isHeader := strings.Cut(want, ": ")
		switch {
		case strings.HasPrefix(want, "!"):
			if got := r.Header.Get(want[1:]); got != "" {
				t.Errorf("%s: %q, want none", want[1:], got)
			}
		case strings.HasPrefix(want, "="):
			if r.body != want[1:] {
				t.Errorf("%s %s: body %q, want %q", r.Request.Method, r.Request.URL, r.body, want[1:])
			}
		case isHeader && !strings.ContainsAny(name, ` "`):
			if got := r.Header.Get(name); got != value {
				t.Errorf("%s %s: %s is %q, want %q", r.Request.Method, r.Request.URL, name, got, value)
			}
		case !strings.Contains(r.body, want):
			t.Errorf("%s %s: body %q, want %q in it", r.Request.Method, r.Request.URL, r.body, want)
		}
	}
}
