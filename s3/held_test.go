package s3

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

// held describes S3 for the tests that all providers share.
func held(way Option) fake.Provider {
	at := func(base string) string {
		return "s3://zarr-test/?use_path_style=true&region=us-east-1&endpoint=" + url.QueryEscape(base)
	}
	return fake.Provider{
		Serve: func(t testing.TB) (*fake.Server, store.Store) {
			f := NewFake(t)
			return f.Server, open(t, at(f.URL), way)
		},
		Open: func(t testing.TB, base string, rt http.RoundTripper, opts ...retry.Option) store.Store {
			o := []Option{Retry(opts...), way}
			if rt != nil {
				o = append(o, HTTPClient(&http.Client{Transport: rt}))
			}
			return open(t, at(base), o...)
		},
		Impatient: func(t testing.TB, base string, stall time.Duration, opts ...retry.Option) store.Store {
			return open(t, at(base), Retry(opts...), StallTimeout(stall), way)
		},
		Unauthorized: fake.Page(401, "application/xml", document("Unauthorized")),
		Forbidden:    fake.Page(403, "application/xml", document("AccessDenied")),
		NoBucket:     fake.Page(404, "application/xml", document("NoSuchBucket")),
		Empty:        fault.Unavailable, EmptyWhole: fault.Unavailable,
	}
}

func TestFailures(t *testing.T) { bothWays(t, testFailures) }

func testFailures(t *testing.T, way Option) { credentialsForTests(t); fake.Failures(t, held(way)) }

func TestUnsent(t *testing.T) { bothWays(t, testUnsent) }

func testUnsent(t *testing.T, way Option) { credentialsForTests(t); fake.Unsent(t, held(way), `"1"`) }

func TestHanging(t *testing.T) { bothWays(t, testHanging) }

func testHanging(t *testing.T, way Option) { credentialsForTests(t); fake.Hanging(t, held(way), `"1"`) }

func TestStalls(t *testing.T) { bothWays(t, testStalls) }

func testStalls(t *testing.T, way Option) { credentialsForTests(t); fake.Stalls(t, held(way), `"1"`) }

func TestEndings(t *testing.T) { bothWays(t, testEndings) }

func testEndings(t *testing.T, way Option) { credentialsForTests(t); fake.Endings(t, held(way)) }

func TestRedirects(t *testing.T) { bothWays(t, testRedirects) }

func testRedirects(t *testing.T, way Option) {
	credentialsForTests(t)
	fake.Redirects(t, held(way), `"1"`, func(t testing.TB, base string, h fake.Following) store.Store {
		return open(t, "s3://zarr-test/?use_path_style=true&region=us-east-1&endpoint="+url.QueryEscape(base), HTTPClient(h), Retry(retry.Tries(1)), way)
	})
}

func TestTraces(t *testing.T) { bothWays(t, testTraces) }

func testTraces(t *testing.T, way Option) { credentialsForTests(t); fake.Traces(t, held(way), true) }

func TestOnePool(t *testing.T) { bothWays(t, testOnePool) }

func testOnePool(t *testing.T, way Option) { credentialsForTests(t); fake.OnePool(t, held(way)) }
