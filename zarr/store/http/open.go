package http

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
)

// Open opens "https://host/path?parameters". The path is the root of the store. Open makes no
// request, so only the first call of the store detects an unreachable server.
//
// The parameters are sent with every request, except "zargo-403=absent"; see [ForbiddenIsAbsent].
//
// It returns a *UsageError if the URL or an option is invalid.
//
// The store retries requests and limits their number (see [Retry] and [MaxInFlight]). It provides a
// store.Tuning.
func Open(ctx context.Context, url string, opts ...Option) (store.Store, error) {
	c := &config{header: http.Header{}}
	return provider.Open(ctx, c, func() error { return c.read(url, opts) })
}

type config struct {
	base      string // scheme, host and escaped path, without a trailing slash
	query     string // with "?", or ""
	header    http.Header
	transport http.RoundTripper
	public    bool
	forbidden bool
	stack     provider.Stack
}

// defaultRequests is the default number of requests in flight. With chunks of 1 MiB, 64 requests
// hide a latency of 30 ms on a gigabit line. They use an eighth of the 512 connections of an nginx
// worker.
const defaultRequests = 64

func (c *config) read(url string, opts []Option) error {
	err := c.parseURL(url)
	for _, o := range opts {
		err = errors.Join(err, o.apply(c))
	}
	if c.public && c.transport != nil {
		err = errors.Join(err, provider.Usage("http.PublicOnly cannot be combined with http.Transport, which would bypass its check of addresses"))
	}
	return err
}

// Name implements [provider.Config].
func (c *config) Name() string { return c.base }

// Layers implements [provider.Config].
func (c *config) Layers() *provider.Stack { return &c.stack }

func (c *config) parseURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return provider.Usage("the URL is invalid") // err would reveal parts of it
	case u.Scheme != "http" && u.Scheme != "https":
		return provider.Usage("the scheme must be http or https, is %q", u.Scheme)
	case u.User != nil:
		return provider.Usage("the URL has a user: use http.Header with an Authorization instead")
	case u.Host == "" || u.Opaque != "":
		return provider.Usage("the URL has no host")
	case u.Fragment != "":
		return provider.Usage(`the URL has a fragment: write "#" in a path as %%23`)
	}
	c.base = u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
	return c.parseQuery(u.RawQuery)
}

// parseQuery sets the parameters for the server. They are sent in the spelling of the URL, because
// a signature may include it.
func (c *config) parseQuery(raw string) error {
	var sent []string
	for p := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(p, "=")
		switch {
		case name != forbiddenParameter:
			sent = append(sent, p)
		case value != "absent":
			return provider.Usage("the parameter %s must be absent", forbiddenParameter) // the value may be a secret
		default:
			c.forbidden = true
		}
	}
	if q := strings.Join(sent, "&"); q != "" {
		c.query = "?" + q
	}
	return nil
}

// forbiddenParameter is the parameter of a URL for [ForbiddenIsAbsent].
const forbiddenParameter = "zargo-403"

func (c *config) requests() int { return c.stack.Requests(defaultRequests) }

// Shared implements [provider.Config]. The number of requests in flight is never increased above
// the default, because a server is often a single machine.
func (c *config) Shared() provider.Bucket {
	scheme, rest, _ := strings.Cut(c.base, "://")
	host, path, _ := strings.Cut(rest, "/")
	return provider.Bucket{
		Name:          scheme + "://" + strings.ToLower(host),
		Prefix:        path,
		Own:           []any{c.transport},
		BucketOptions: limit.BucketOptions{Reads: defaultRequests, Writes: defaultRequests, Most: defaultRequests},
	}
}

// Connect implements [provider.Config].
func (c *config) Connect(context.Context) (store.Store, error) {
	s := &Store{base: c.base, query: c.query, header: c.header, tuning: c.tuning(), forbidden: c.forbidden}
	t := c.transport
	if t == nil {
		name := c.Shared().Name
		if c.public {
			name += " public"
		}
		t, s.release = c.stack.Transport(name, transport(c.requests(), c.public))
	}
	s.client = &http.Client{
		Transport:     watched{provider.TracedTransport(provider.Watched(c.stack.Stall, t)), t},
		CheckRedirect: provider.FollowRedirect(c.header),
	}
	return s, nil
}

// watched is a transport with the limit of [StallTimeout]. It forwards CloseIdleConnections to the
// transport below it.
type watched struct {
	http.RoundTripper
	below http.RoundTripper
}

func (w watched) CloseIdleConnections() {
	if t, ok := w.below.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// transport returns a transport that keeps up to "requests" connections. If "public" is set, it
// checks the addresses of servers and uses no proxy, because a proxy would resolve names without
// this check.
func transport(requests int, public bool) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	provider.Connections(t, requests)
	if public {
		t.Proxy = nil
		t.DialContext = (&provider.Dialer{Forbid: provider.PublicOnly}).DialContext
	}
	return t
}

// tuning returns the settings for an unknown server.
func (c *config) tuning() store.Tuning {
	return store.Tuning{
		Requests:   c.requests(),
		RangeGap:   256 << 10,
		RangeMax:   16 << 20,
		SplitAbove: 0,
		ListFanout: 1,
		ListPage:   1,
		Reason:     "HTTP: latency-bound like an object store, but often one machine and one line: polite at 64 requests",
		Why: store.Reasons{
			Requests:    c.stack.Why("hides 30 ms behind chunks of 1 MiB on a gigabit line, and is an eighth of the connections that nginx lets one worker have"),
			RangeGap:    "30 ms at 10 MB/s for each of the connections that share a line",
			RangeMax:    "as S3: short enough to repeat",
			SplitAbove:  "never: a server that ignores ranges would send all of it for each part",
			PartAbove:   "never: nothing is written",
			ListFanout:  "there is no listing",
			ListPage:    "there is no listing",
			DeleteBatch: "there are no deletes",
		},
	}
}
