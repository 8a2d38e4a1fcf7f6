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

// Header sends a header, such as Authorization, with each request to the host of the URL. Range,
// Accept-Encoding, Host and conditions are reserved for the store and are a *UsageError. By default
// the store adds none.
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

// Transport sets the transport, which manages connections and proxies. The default is a transport
// of this package.
func Transport(t http.RoundTripper) Option {
	return Option{"http.Transport(…)", func(c *config) error { c.transport = t; return nil }}
}

// PublicOnly makes requests to servers without a public address fail with fault.Refused. Addresses
// that are not public are loopback, link-local (including the clouds' metadata services,
// 169.254.169.254), private (RFC 1918, ULA), shared (CGNAT) and reserved addresses, and IPv6
// addresses that contain such IPv4 addresses. The option is for programs that open URLs of others.
// Without the option, such a URL can read data that only the machine of the program can reach.
//
// The address is checked for every connection, also after redirects. The check follows the
// resolution of the name, so it cannot be bypassed by a name whose address changes. No proxy is
// used, because a proxy would resolve names itself. PublicOnly and [Transport] together are a
// *UsageError. The default is off.
func PublicOnly() Option {
	return Option{"http.PublicOnly()", func(c *config) error { c.public = true; return nil }}
}

// ForbiddenIsAbsent makes status 403 mean that a value is absent (fault.NotFound), as 404 does. A
// bucket that does not permit listings responds 403 for absent keys, so arrays with unwritten
// chunks need the option. The parameter "zargo-403=absent" of the URL has the same effect; it is
// not sent to the server. The default is off, because a 403 does not prove that a value is absent:
// with the option a value whose permission is missing or has expired reads as the fill value. Use
// the option only for public data.
func ForbiddenIsAbsent() Option {
	return Option{"http.ForbiddenIsAbsent()", func(c *config) error { c.forbidden = true; return nil }}
}

// MaxInFlight sets the maximum number of requests in flight of all arrays and calls that use the
// store. With the default 0 all stores of the process on the server share 64 requests, and fewer if
// the server refuses requests.
func MaxInFlight(n int) Option { return layers(provider.MaxInFlight(n)) }

// RequestRate limits the number of requests per second, including retries. The limit is shared by
// all stores of the process that are opened on the server with the same rate. If the number of
// processes is known ([concurrency.Limits.Share]), each process uses its share of the rate. The
// default 0 means no limit.
func RequestRate(perSecond float64) Option { return layers(provider.RequestRate(perSecond)) }

// ByteRate limits the bytes of values that are read per second, in the same way as RequestRate.
func ByteRate(perSecond float64) Option { return layers(provider.ByteRate(perSecond)) }

// Limits sets the limits on requests, memory and CPU that the store uses. The default nil means
// [concurrency.Default], the limits of the process. See also zarr.Limits.Shared, which does the
// same for arrays. Stores on one server with the same Limits share the request slots and the retry
// quota of the server.
func Limits(l *concurrency.Limits) Option { return layers(provider.Limits(l)) }

// Hedge sends a read a second time if its first byte takes much longer than usual, and uses the
// response that starts first. Package hedge documents the conditions. Hedging adds at most 9.9 %
// more reads. While two reads are in flight, it takes memory from the budget of [Limits]. The
// default is off.
func Hedge() Option { return layers(provider.Hedge()) }

// StallTimeout sets the time without progress after which a request fails with fault.Unavailable
// and is retried. The time starts again with every received byte, so long values are not affected.
// Only the context limits the duration of a whole request. The default 0 means 30 s; other values
// must be at least 1 ms.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry configures how failed requests are retried. Package retry documents the defaults.
// Retry(retry.Tries(1)) disables retries.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }

// UsageError reports an invalid URL or option of [Open]. It does not match a kind of package fault,
// because kinds describe requests and stored data. All providers use the same type.
type UsageError = store.UsageError
