package gcs

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// held describes GCS for the tests that all providers share.
func held() fake.Provider {
	at := func(base string) string { return "gs://zarr-test/?endpoint=" + url.QueryEscape(base) }
	return fake.Provider{
		Serve: func(t testing.TB) (*fake.Server, store.Store) {
			f := NewFake(t)
			return f.Server, open(t, at(f.URL))
		},
		Open: func(t testing.TB, base string, rt http.RoundTripper, opts ...retry.Option) store.Store {
			as := []Option{Anonymous(), Retry(opts...)}
			if rt != nil { // rt may receive the client's credentials
				as = []Option{HTTPClient(&http.Client{Transport: rt}), Endpoint(base), Retry(opts...)}
			}
			return open(t, at(base), as...)
		},
		Impatient: func(t testing.TB, base string, stall time.Duration, opts ...retry.Option) store.Store {
			return open(t, at(base), Anonymous(), Retry(opts...), StallTimeout(stall))
		},
		Unauthorized: fake.Page(401, "application/xml", xmlError("AuthenticationRequired", "m")),
		Forbidden:    fake.Page(403, "application/xml", xmlError("AccessDenied", "m")),
		NoBucket:     fake.Page(404, "application/xml", xmlError("NoSuchBucket", "m")),
		Empty:        fault.Unavailable, EmptyWhole: fault.Unavailable,
	}
}

func TestFailures(t *testing.T) { noEnvironment(t); fake.Failures(t, held()) }

func TestUnsent(t *testing.T) { noEnvironment(t); fake.Unsent(t, held(), "5") }

func TestHanging(t *testing.T) { noEnvironment(t); fake.Hanging(t, held(), "5") }

func TestStalls(t *testing.T) { noEnvironment(t); fake.Stalls(t, held(), "5") }

func TestEndings(t *testing.T) { noEnvironment(t); fake.Endings(t, held()) }

func TestRedirects(t *testing.T) { noEnvironment(t); fake.Redirects(t, held(), "5", nil) }

func TestTraces(t *testing.T) { noEnvironment(t); fake.Traces(t, held(), true) }

func TestOnePool(t *testing.T) { noEnvironment(t); fake.OnePool(t, held()) }
