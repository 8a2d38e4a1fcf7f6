package http

import (
	"net/http"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// held returns a web server for the tests that all providers share. It has no buckets, and a 404
// means an absent key. An empty value and another server's empty response can be distinguished only
// if the key is that of a metadata document. For other keys an empty response is therefore corrupt
// if bytes are expected.
func held() fake.Provider {
	return fake.Provider{
		Pages: 1,
		Serve: func(t testing.TB) (*fake.Server, store.Store) {
			values := mem.New()
			s := fake.New(files(values, true), fake.Line("Range"))
			t.Cleanup(s.Start())
			return s, values
		},
		Open: func(t testing.TB, base string, rt http.RoundTripper, opts ...retry.Option) store.Store {
			o := []Option{Retry(opts...)}
			if rt != nil {
				o = append(o, Transport(rt))
			}
			return open(t, base, o...)
		},
		Impatient: func(t testing.TB, base string, stall time.Duration, opts ...retry.Option) store.Store {
			return open(t, base, Retry(opts...), StallTimeout(stall))
		},
		Unauthorized: fake.Page(401, "text/plain", "no"),
		Forbidden:    fake.Page(403, "text/plain", "no"),
		Empty:        fault.Corrupt,
	}
}

func open(t testing.TB, base string, o ...Option) store.Store {
	t.Helper()
	st, err := Open(t.Context(), base+"/a%20b/?sig=secret", o...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func TestFailures(t *testing.T) { fake.Failures(t, held()) }

// TestConnections checks that there are as many connections as requests in flight.
func TestConnections(t *testing.T) {
	p := held()
	srv, values := p.Serve(t)
	if _, err := values.Put(t.Context(), "k", make([]byte, 1000), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	fake.Connections(t, srv, once(t, srv.URL+"/a%20b/", MaxInFlight(fake.InFlight)))
}

func TestStalls(t *testing.T) { fake.Stalls(t, held(), "") }

func TestEndings(t *testing.T) { fake.Endings(t, held()) }

func TestTraces(t *testing.T) { fake.Traces(t, held(), false) }

func TestOnePool(t *testing.T) { fake.OnePool(t, held()) }
