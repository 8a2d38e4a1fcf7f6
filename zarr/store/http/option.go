package http

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Option configures a store that [Open] opens.
type Option struct {
	text  string
	apply func(*config) error
}

// String returns the option as Go source, without secrets.
func (o Option) String() string { return o.text }

func layers(s provider.Setting) Option {
	return Option{"http." + s.Text, func(c *config) error {
		s.Apply(&c.stack)
		return c.stack.Check()
	}}
}

// Header sends a header, such as Authorization, with each request to the host of the URL. The store
// sets Range, Accept-Encoding, Host and conditions itself; setting them is a *UsageError. The
// default is none.
func Header(name, value string) Option {
	return Option{fmt.Sprintf("http.Header(%q, …)", name), func(c *config) error {
		key := http.CanonicalHeaderKey(name)
		if key == "" || strings.ContainsAny(name, " \r\n:") || strings.ContainsAny(value, "\r\n\x00") {
			return provider.Usage("header %q is not valid", name)
		}
		if key == "Range" || key == "Accept-Encoding" || key == "Host" || strings.HasPrefix(key, "If-") {
			return provider.Usage("header %s is reserved for the store", key)
		}
		c.header.Set(key, value)
		return nil
	}}
}

// Transport replaces the transport of the connections, including its handling of idle connections
// and proxies. The default is a transport of this package.
func Transport(t http.RoundTripper) Option {
	return Option{"http.Transport(…)", func(c *config) error { c.transport = t; return nil }}
}

// PublicOnly returns fault.Refused for servers whose address is not public. Addresses that are not
// public are loopback, link-local (including the clouds' metadata services, 169.254.169.254),
// private (RFC 1918, ULA), shared (CGNAT) and reserved addresses, and IPv6 addresses that contain
// such IPv4 addresses. It is for programs that open URLs of others. Without it such a URL can read
// data that only the program's machine can reach.
//
// The address is checked on connecting, after the name was resolved, and for every redirect. A name
// whose address changes therefore does not bypass the check. No proxy is used, because it would
// resolve names itself. With [Transport], PublicOnly is a *UsageError. The default is off.
func PublicOnly() Option {
	return Option{"http.PublicOnly()", func(c *config) error { c.public = true; return nil }}
}

// MaxInFlight fixes the number of requests in flight, over all arrays and calls on the store. The
// default 0 means 64, shared by all stores of the process on the server, and fewer if the server
// refuses requests.
func MaxInFlight(n int) Option { return layers(provider.MaxInFlight(n)) }

// RequestRate limits the requests per second, including retries, of all stores of the process on
// the server that are opened with the same rate. If the number of processes is known
// ([concurrency.Limits.Share]), each process uses its share of the rate. The default 0 means no
// limit.
func RequestRate(perSecond float64) Option { return layers(provider.RequestRate(perSecond)) }

// ByteRate limits the bytes of values that are read per second, in the same way as RequestRate.
func ByteRate(perSecond float64) Option { return layers(provider.ByteRate(perSecond)) }

// Limits sets the limits on requests, memory and CPU that the store uses instead of those of the
// process. See also zarr.Limits.Shared, which does the same for arrays. Stores on one server with
// the same Limits share its request slots and its retry quota. The default nil means
// [concurrency.Default].
func Limits(l *concurrency.Limits) Option { return layers(provider.Limits(l)) }

// Hedge sends a read a second time if its first byte takes much longer than usual, and uses the
// response that starts first. Package hedge documents the conditions. Hedging adds at most 3 % of
// reads, and takes memory from the budget ([Limits]) while two reads are in flight. The default is
// off.
func Hedge() Option { return layers(provider.Hedge()) }

// StallTimeout sets the time without progress after which a request fails with fault.Unavailable
// and is retried. Every byte restarts the time, so long values are not affected. Only the context
// limits the duration of a whole request. The default 0 means 30 s; other values must be at least 1
// ms.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry configures how failed requests are retried. Package retry documents the defaults.
// Retry(retry.Tries(1)) disables retries.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }

// UsageError reports an invalid URL or option of [Open]. It has no kind of package fault, because
// kinds are about requests and stored data. All providers use the same type.
type UsageError = store.UsageError
