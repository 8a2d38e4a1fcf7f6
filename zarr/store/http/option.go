package http

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Option changes how [Open] opens a server.
type Option struct {
	text  string
	apply func(*config) error
}

// String prints the option as it is written in code, without secrets.
func (o Option) String() string { return o.text }

// Header sends a header with each request to the host of the URL, such as Authorization. Range, Accept-Encoding and
// conditions are the store's own and a *UsageError.
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

// Transport replaces the connections' transport, and with it what this package does about idle connections and proxies.
func Transport(t http.RoundTripper) Option {
	return Option{"http.Transport(…)", func(c *config) error { c.transport = t; return nil }}
}

// MaxInFlight bounds how many requests the store makes at once, over all arrays and calls on it; 0 is the default, 64.
func MaxInFlight(n int) Option {
	return Option{fmt.Sprintf("http.MaxInFlight(%d)", n), func(c *config) error {
		c.stack.InFlight = n
		return c.stack.Check()
	}}
}

// Retry changes how failed requests are repeated; see package retry for the defaults. Retry(retry.Tries(1)) is never.
func Retry(opts ...retry.Option) Option {
	return Option{fmt.Sprintf("http.Retry(%v)", opts), func(c *config) error { c.stack.Retry = append(c.stack.Retry, opts...); return nil }}
}

// UsageError is a mistake in the URL or the options given to [Open]. It has no kind of package fault: it is not about
// what is stored. It is one type for all providers.
type UsageError = provider.UsageError
