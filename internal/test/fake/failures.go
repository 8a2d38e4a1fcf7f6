package fake

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Provider describes a provider to the tests of this package.
type Provider struct {
	// Serve starts a server, and opens a store to put values.
	Serve func(t testing.TB) (*Server, store.Store)
	// Open opens the store at the URL of a server. If rt is not nil, the store sends its requests
	// with rt.
	Open func(t testing.TB, url string, rt http.RoundTripper, opts ...retry.Option) store.Store
	// Impatient is Open with another stall limit.
	Impatient func(t testing.TB, url string, stall time.Duration, opts ...retry.Option) store.Store

	Unauthorized, Forbidden Answer
	// NoBucket is the response of the provider if the bucket does not exist. Providers without
	// buckets leave it nil.
	NoBucket Answer
	// Empty is the kind of the error of a ranged read that receives an empty 200 response.
	// EmptyWhole is the kind for a read of a whole value, or nil if an empty value is valid.
	Empty, EmptyWhole error
	// Pages is the number of retries after an HTML page, or 0 for as many as after other failures.
	Pages int
}

// failure is a case of [Failures]: a failure that affects all reads.
type failure struct {
	name  string
	kind  error // kind of the error of each read
	whole error // kind for a Get of the whole value; nil is no error
	tries int   // maximum number of tries of the retry layer
	again int   // expected number of retries

	answer Answer            // response of the server; nil if it is not reached
	url    string            // URL of a server that is not reached
	rt     http.RoundTripper // nil is the provider's own
}

func (p Provider) failures(t *testing.T) []failure {
	gone := httptest.NewServer(nil)
	gone.Close()
	untrusted := httptest.NewUnstartedServer(nil)
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0) // the server logs failed handshakes
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	all := []failure{
		{name: "401", kind: fault.Refused, whole: fault.Refused, tries: 3, answer: p.Unauthorized},
		{name: "403", kind: fault.Refused, whole: fault.Refused, tries: 3, answer: p.Forbidden},
		// A retry is useless if a name does not exist or a certificate is not trusted.
		{name: "no such host", kind: fault.Refused, whole: fault.Refused, tries: 3, url: "https://host.example",
			rt: dials(&net.DNSError{Err: "no such host", Name: "host.example", IsNotFound: true})},
		{name: "certificate not trusted", kind: fault.Refused, whole: fault.Refused, tries: 3, url: untrusted.URL},
		{name: "name server fails", kind: fault.Unavailable, whole: fault.Unavailable, tries: 3, again: 2, url: "https://host.example",
			rt: dials(&net.DNSError{Err: "server misbehaving", Name: "host.example", IsTemporary: true})},
		{name: "connection refused", kind: fault.Unavailable, whole: fault.Unavailable, tries: 3, again: 2, url: gone.URL},
		{name: "HTML page with 200", kind: fault.Unavailable, whole: fault.Unavailable, tries: 3, again: cmp.Or(p.Pages, 2), answer: Page(200, "text/html; charset=utf-8", HTML)},
		{name: "empty 200", kind: p.Empty, whole: p.EmptyWhole, tries: 1, answer: Page(200, "application/octet-stream", "")},
		// Use one try, because a second try would continue where the body ended, and would succeed.
		{name: "body cut short", kind: fault.Unavailable, whole: fault.Unavailable, tries: 1, answer: cut},
		{name: "connection cut", kind: fault.Unavailable, whole: fault.Unavailable, tries: 3, again: 2, answer: hangUp},
	}
	if p.NoBucket != nil {
		all = append(all, failure{name: "missing bucket", kind: fault.Refused, whole: fault.Refused, tries: 3, answer: p.NoBucket})
	}
	return all
}

// dials returns a transport whose dialer fails with err.
func dials(err error) http.RoundTripper {
	return &http.Transport{DialContext: func(_ context.Context, network, _ string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}}
}

// cut is a placeholder that failure.on replaces by a truncated response of the server.
func cut(http.ResponseWriter, *http.Request) bool { return false }

func hangUp(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }

// chunk is the key of the only chunk of the array "a". Its elements are 1, 2, 3, 4, and the fill
// value is 7.
const chunk = "a/c/0"

// Failures checks that a failed read returns an error instead of a value or the fill value. It also
// checks that each failure has the expected kind, that requests are retried only if a retry may
// help, and that retries end when the context ends.
func Failures(t *testing.T, p Provider) {
	srv, w := p.Serve(t)
	meta := mem.New()
	for _, st := range []store.Store{w, meta} {
		a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{4}, DType: dtype.Float32, Fill: 7, Codecs: []codec.Spec{}})
		if err == nil {
			err = zarr.Write(t.Context(), a, []float32{1, 2, 3, 4})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := meta.Delete(t.Context(), chunk, store.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := readArray(t.Context(), &withMeta{p.Open(t, srv.URL, nil), meta})
	if err != nil || len(got) != 4 || got[3] != 4 {
		t.Fatalf("without a failure: %v, %v", got, err)
	}
	for _, f := range p.failures(t) {
		t.Run(f.name, func(t *testing.T) {
			srv.Answer(f.on(srv))
			defer srv.Answer(nil)
			url := f.url
			if url == "" {
				url = srv.URL
			}
			again := 0
			st := p.Open(t, url, f.rt, retry.Tries(f.tries), retry.Backoff(1, 1), retry.Notify(func(store.Retry) { again++ }))
			for _, r := range []store.Range{store.Within(1, 2), store.From(3), store.Suffix(5)} {
				v, err := st.Get(t.Context(), chunk, store.GetOptions{Range: r}, nil)
				wantFailure(t, "get "+r.String(), v.Bytes, err, f.kind)
			}
			v, err := st.Get(t.Context(), chunk, store.GetOptions{}, nil)
			wantFailure(t, "get whole", v.Bytes, err, f.whole)
			if want := 4 * f.again; again != want {
				t.Errorf("retried %d times, want %d", again, want)
			}
			got, err := readArray(t.Context(), &withMeta{st, meta})
			noFill(t, got)
			t.Run("read of the array", func(t *testing.T) { WantKind(t, err, f.kind) })

			// The wait between tries is an hour, so the context ends the read.
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			slow := p.Open(t, url, f.rt, retry.Backoff(time.Hour, time.Hour), retry.Elapsed(24*time.Hour), retry.Tries(1+f.again))
			got, err = readArray(ctx, &withMeta{slow, meta})
			noFill(t, got)
			if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, f.kind) || errors.Is(err, fault.NotFound) {
				t.Errorf("with a deadline: %v", err)
			}
		})
	}
}

// on returns the Answer that simulates the failure on srv.
func (f failure) on(srv *Server) Answer {
	if f.name != "body cut short" {
		return f.answer
	}
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodHead {
			return false // the response has no body
		}
		srv.Cut(w, r)
		return true
	}
}

// noFill checks that the result of a failed read does not contain the fill value.
func noFill(t *testing.T, got []float32) {
	t.Helper()
	if slices.Contains(got, 7) {
		t.Errorf("fill values: %v", got)
	}
}

func wantFailure(t *testing.T, what string, got []byte, err, kind error) {
	t.Helper()
	if len(got) != 0 {
		t.Errorf("%s returned %v", what, got)
	}
	if kind == nil {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	t.Run(what, func(t *testing.T) { WantKind(t, err, kind) })
}

// readArray opens the array "a" and reads all its elements.
func readArray(ctx context.Context, st store.Store) ([]float32, error) {
	a, err := zarr.OpenArray(context.WithoutCancel(ctx), st, "a")
	if err != nil {
		return nil, err
	}
	return zarr.Read[float32](ctx, a)
}

// withMeta reads chunks from one store and metadata from another, so that an array can be opened
// even if its chunk cannot be read.
type withMeta struct {
	store.Store
	meta store.Store
}

func (m *withMeta) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if key == chunk {
		return m.Store.Get(ctx, key, o, buf)
	}
	return m.meta.Get(ctx, key, o, buf)
}
