package s3

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/provider/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// held is S3 as the tests that all providers share see it.
func held() fake.Provider {
	at := func(base string) string {
		return "s3://zarr-test/?use_path_style=true&region=us-east-1&endpoint=" + url.QueryEscape(base)
	}
	return fake.Provider{
		Serve: func(t testing.TB) (*fake.Server, store.Store) {
			f := NewFake(t)
			return f.Server, open(t, at(f.URL))
		},
		Open: func(t testing.TB, base string, rt http.RoundTripper, opts ...retry.Option) store.Store {
			o := []Option{Retry(opts...)}
			if rt != nil {
				o = append(o, HTTPClient(&http.Client{Transport: rt}))
			}
			return open(t, at(base), o...)
		},
		Impatient: func(t testing.TB, base string, stall time.Duration, opts ...retry.Option) store.Store {
			return open(t, at(base), Retry(opts...), StallTimeout(stall))
		},
		Unauthorized: fake.Page(401, "application/xml", document("Unauthorized")),
		Forbidden:    fake.Page(403, "application/xml", document("AccessDenied")),
		NoBucket:     fake.Page(404, "application/xml", document("NoSuchBucket")),
		Empty:        fault.Unavailable, EmptyWhole: fault.Unavailable,
	}
}

func TestFailures(t *testing.T) { credentialsForTests(t); fake.Failures(t, held()) }

func TestUnsent(t *testing.T) { credentialsForTests(t); fake.Unsent(t, held(), `"1"`) }

func TestHanging(t *testing.T) { credentialsForTests(t); fake.Hanging(t, held(), `"1"`) }

func TestStalls(t *testing.T) { credentialsForTests(t); fake.Stalls(t, held(), `"1"`) }

func TestEndings(t *testing.T) { credentialsForTests(t); fake.Endings(t, held()) }

func TestRedirects(t *testing.T) {
	credentialsForTests(t)
	fake.Redirects(t, held(), `"1"`, func(t testing.TB, base string, h fake.Following) store.Store {
		return open(t, "s3://zarr-test/?use_path_style=true&region=us-east-1&endpoint="+url.QueryEscape(base), HTTPClient(h), Retry(retry.Tries(1)))
	})
}

func TestTraces(t *testing.T) { credentialsForTests(t); fake.Traces(t, held(), true) }
