package azure

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// held describes Azure for the tests that all providers share.
func held() fake.Provider {
	at := func(base string) string {
		protocol, host, _ := strings.Cut(base, "://")
		return "azblob://zarr-test/?localemu=true&storage_account=acct&protocol=" + protocol + "&domain=" + url.QueryEscape(host)
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
		Unauthorized: azureSays(401, "NoAuthenticationInformation"),
		Forbidden:    azureSays(403, "AuthenticationFailed"),
		NoBucket:     azureSays(404, "ContainerNotFound"),
		Empty:        fault.Unavailable, EmptyWhole: fault.Unavailable,
	}
}

// TestFailures tests the failures of all providers; TestAzureFailures tests those of Azure only.
func TestFailures(t *testing.T) { environment(t); fake.Failures(t, held()) }

func TestUnsent(t *testing.T) { environment(t); fake.Unsent(t, held(), `"1"`) }

func TestHanging(t *testing.T) { environment(t); fake.Hanging(t, held(), `"1"`) }

func TestStalls(t *testing.T) { environment(t); fake.Stalls(t, held(), `"1"`) }

func TestEndings(t *testing.T) { environment(t); fake.Endings(t, held()) }

func TestRedirects(t *testing.T) {
	environment(t)
	fake.Redirects(t, held(), `"1"`, func(t testing.TB, base string, h fake.Following) store.Store {
		return open(t, "azblob://zarr-test/?localemu=true&storage_account=acct&protocol=http&domain="+url.QueryEscape(strings.TrimPrefix(base, "http://")),
			HTTPClient(h), Retry(retry.Tries(1)))
	})
}

func TestTraces(t *testing.T) { environment(t); fake.Traces(t, held(), true) }

func TestOnePool(t *testing.T) { environment(t); fake.OnePool(t, held()) }
