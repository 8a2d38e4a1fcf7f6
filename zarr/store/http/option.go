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

// String prints the option as it is written in code, without secrets.
func (o Option) String() string { return o.text }

func layers(s provider.Setting) Option {
	return Option{"http." + s.Text, func(c *config) error {
		s.Apply(&c.stack)
		return c.stack.Check()
	}}
}

// Header sends a header with each request to the host of the URL, such as Authorization. Range,
// Accept-Encoding and conditions are the store's own and a *UsageError.
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

// Transport replaces the connections' transport, and with it what this package does about idle
// connections and proxies.
func Transport(t http.RoundTripper) Option {
	return Option{"http.Transport(…)", func(c *config) error { c.transport = t; return nil }}
}

// PublicOnly refuses servers whose address is not of the public internet, as fault.Refused:
// loopback, link-local with the clouds' metadata services (169.254.169.254), private (RFC 1918,
// ULA), shared (CGNAT) and reserved ones, also as IPv6 addresses with an IPv4 address in them. It
// is for programs that open URLs of others: without it such a URL reads what only the program's
// machine can reach. The address is looked at when it is connected to, after the name was resolved
// and for every redirect, so that a name whose address changes is no way around. No proxy is used,
// as it would resolve names by itself. With [Transport] it is a *UsageError.
func PublicOnly() Option {
	return Option{"http.PublicOnly()", func(c *config) error { c.public = true; return nil }}
}

// MaxInFlight fixes how many requests the store makes at once, over all arrays and calls on it. 0
// is the default: 64, shared by all stores of the process on the server, and fewer where it refuses
// some.
func MaxInFlight(n int) Option { return layers(provider.MaxInFlight(n)) }

// RequestRate bounds the requests in a second that all stores of the process on the server make
// that are opened with the same number, repeats included. 0 is no bound. Of processes that know
// their number ([concurrency.Limits.Share]) each keeps to its share of it.
func RequestRate(perSecond float64) Option { return layers(provider.RequestRate(perSecond)) }

// ByteRate bounds the bytes of values that are read in a second, likewise.
func ByteRate(perSecond float64) Option { return layers(provider.ByteRate(perSecond)) }

// Limits uses the caller's limits instead of the process's, as zarr.Limits.Shared does for arrays.
// Stores on one bucket with the same Limits share its request slots and its retry quota.
func Limits(l *concurrency.Limits) Option { return layers(provider.Limits(l)) }

// Hedge makes a read once more whose first byte takes much longer than that of others, and uses the
// one that comes first; see package hedge for when. It costs 3 % more reads at most, and memory of
// the budget ([Limits]) while two are under way.
func Hedge() Option { return layers(provider.Hedge()) }

// StallTimeout is how long a request may stand still, with no byte moving, before it is given up as
// fault.Unavailable and tried again; 0 is the default, 30 s. Every byte starts it anew, so that
// long values take the time they need: the only limit on the whole is the context's.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry changes how failed requests are repeated; see package retry for the defaults.
// Retry(retry.Tries(1)) is never.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }

// UsageError is a mistake in the URL or the options given to [Open]. It has no kind of package
// fault: it is not about what is stored. It is one type for all providers.
type UsageError = store.UsageError
