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

// Option changes how [Open] opens a server.
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
// Accept-Encoding, Host and conditions belong to the store; setting them is a *UsageError. Default
// none.
func Header(name, value string) Option {
	return Option{fmt.Sprintf("http.Header(%q, …)", name), func(c *config) error {
		key := http.CanonicalHeaderKey(name)
		if key == "" || strings.ContainsAny(name, " \r\n:") || strings.ContainsAny(value, "\r\n\x00") {
			return provider.Usage("header %q cannot be sent", name)
		}
		if key == "Range" || key == "Accept-Encoding" || key == "Host" || strings.HasPrefix(key, "If-") {
			return provider.Usage("header %s is not the caller's to set", key)
		}
		c.header.Set(key, value)
		return nil
	}}
}

// Transport replaces the transport of the connections, including its handling of idle connections
// and proxies. Default is a transport of this package.
func Transport(t http.RoundTripper) Option {
	return Option{"http.Transport(…)", func(c *config) error { c.transport = t; return nil }}
}

// PublicOnly returns fault.Refused for servers whose address is not public. Addresses that are not
// public are loopback, link-local (including the clouds' metadata services, 169.254.169.254),
// private (RFC 1918, ULA), shared (CGNAT) and reserved addresses, and IPv6 addresses that contain
// such IPv4 addresses. It is for programs that open URLs of others. Without it such a URL can read
// data that only the program's machine can reach.
//
// The address is checked when connecting, after the name was resolved and for every redirect, so a
// name whose address changes does not bypass it. No proxy is used, because it would resolve names
// on its own. With [Transport] it is a *UsageError. Default off.
func PublicOnly() Option {
	return Option{"http.PublicOnly()", func(c *config) error { c.public = true; return nil }}
}

// MaxInFlight fixes the number of requests in flight, over all arrays and calls on the store.
// Default 0: 64, shared by all stores of the process on the server, and fewer if the server refuses
// requests.
func MaxInFlight(n int) Option { return layers(provider.MaxInFlight(n)) }

// RequestRate bounds the requests per second, including retries, of all stores of the process on
// the server that are opened with the same rate. If the number of processes is known
// ([concurrency.Limits.Share]), each uses its share of the rate. Default 0: no bound.
func RequestRate(perSecond float64) Option { return layers(provider.RequestRate(perSecond)) }

// ByteRate bounds the bytes of values that are read per second, in the same way.
func ByteRate(perSecond float64) Option { return layers(provider.ByteRate(perSecond)) }

// Limits uses l instead of the process's limits, as zarr.Limits.Shared does for arrays. Stores on
// one server with the same Limits share its request slots and its retry quota. Default nil:
// [concurrency.Default].
func Limits(l *concurrency.Limits) Option { return layers(provider.Limits(l)) }

// Hedge sends a read a second time if its first byte takes much longer than usual, and uses the
// response that starts first. Package hedge has the conditions. It costs at most 3 % more reads,
// and memory of the budget ([Limits]) while two are in flight. Default off.
func Hedge() Option { return layers(provider.Hedge()) }

// StallTimeout sets how long a request may make no progress before it fails as fault.Unavailable
// and is retried. Every byte restarts the time, so long values are not affected; only the context
// limits the whole request. Default 0: 30 s; otherwise at least 1 ms.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry changes how failed requests are retried. Package retry has the defaults.
// Retry(retry.Tries(1)) disables retries.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }

// UsageError reports an invalid URL or option of [Open]. It has no kind of package fault, because
// those are about requests and stored data. It is one type for all providers.
type UsageError = store.UsageError
