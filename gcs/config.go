package gcs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"

	gcsapi "cloud.google.com/go/storage"
	gcblob "gocloud.dev/blob"
	"golang.org/x/oauth2"
	apioption "google.golang.org/api/option"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// config holds the values of the URL and the options.
type config struct {
	bucket, prefix string

	anonymous bool
	tokens    oauth2.TokenSource
	file      string
	place
	fromURL    place    // values set by the URL
	trust      []string // additional hosts that tokens may be sent to
	httpClient *http.Client
	client     *gcsapi.Client
	opened     *gcblob.Bucket // owns client

	under       http.RoundTripper // replaces the network in tests
	sender      *http.Client      // the HTTP client of the SDK's client; nil for a caller's client
	tokenClient *http.Client      // fetches tokens; nil for the default of Google's library

	userProject, kmsKey, storageClass, contentType string
	key                                            []byte

	stack provider.Stack
}

// place locates the server.
type place struct{ endpoint, universe string }

// check validates all parameters and options.
func (c *config) check() error {
	if c.client != nil && (c.place != place{} || c.anonymous || c.tokens != nil || c.file != "" || c.httpClient != nil || c.trust != nil || c.stack.Stall != 0) {
		return provider.Usage("parameters and options about the connection cannot be combined with gcs.Client")
	}
	ways := 0
	for _, given := range []bool{c.anonymous, c.tokens != nil, c.file != "", c.httpClient != nil} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return provider.Usage("only one of anonymous, gcs.TokenSource, gcs.CredentialsFile and gcs.HTTPClient can be set")
	case c.key != nil && len(c.key) != 32:
		return provider.Usage("the encryption key must have 32 bytes, has %d", len(c.key))
	case c.key != nil && c.kmsKey != "":
		return provider.Usage("gcs.EncryptionKey cannot be combined with kms_key")
	case c.kmsKey != "" && !strings.HasPrefix(c.kmsKey, "projects/"):
		return provider.Usage(`parameter kms_key must start with "projects/", is %q`, c.kmsKey)
	}
	if err := c.stack.Check(); err != nil {
		return err
	}
	if c.client != nil {
		return nil
	}
	if c.anonymous && c.userProject != "" && c.endpoint == "" {
		return provider.Usage("user_project requires credentials: anonymous requests cannot be billed")
	}
	if err := c.checkEndpoint(); err != nil {
		return err
	}
	return c.checkTrust()
}

// checkTrust returns a UsageError if credentials would be sent over http, or to a server that only
// the URL names. A URL is untrusted data. The check also applies with a caller's HTTP client,
// because that client may add credentials.
func (c *config) checkTrust() error {
	if c.anonymous || c.endpoint == "" {
		return nil
	}
	host := hostOf(c.endpoint)
	switch {
	case provider.Loopback(host):
		return nil
	case !strings.HasPrefix(c.endpoint, "https:"):
		return provider.Usage("credentials are not sent to an http endpoint, which would transmit them in clear text: use https or anonymous=true")
	case c.fromURL.endpoint != "" && !append(c.trustedByName(), defaultUniverse).Has(host):
		return provider.Usage("credentials are not sent to an endpoint that only the URL names: set gcs.Endpoint, gcs.TrustHost or %s, "+
			"or use anonymous=true", provider.TrustVariable)
	}
	return nil
}

func hostOf(endpoint string) string {
	_, host, _ := strings.Cut(endpoint, "://")
	return host
}

// checkEndpoint normalizes the endpoint to a host, or a URL without a path. An endpoint from
// STORAGE_EMULATOR_HOST, which the SDK supports too, gets no credentials.
func (c *config) checkEndpoint() error {
	from := "parameter endpoint"
	if c.endpoint == "" {
		from, c.endpoint = "STORAGE_EMULATOR_HOST", os.Getenv("STORAGE_EMULATOR_HOST")
		if c.endpoint == "" {
			return nil
		}
		if !strings.Contains(c.endpoint, "://") {
			c.endpoint = "http://" + c.endpoint
		}
		c.anonymous = c.anonymous || c.httpClient == nil
		c.tokens, c.file = nil, ""
	}
	if !strings.Contains(c.endpoint, "://") {
		c.endpoint = "https://" + c.endpoint
	}
	u, err := url.Parse(c.endpoint)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		c.endpoint = ""
		return provider.Usage("%s must be a URL such as http://127.0.0.1:4443", from)
	}
	c.endpoint = u.Scheme + "://" + u.Host
	if u.Scheme == "http" && c.tokens == nil && c.file == "" && c.httpClient == nil {
		c.anonymous = true // a token would be sent unencrypted
	}
	return nil
}

// connect creates the SDK's client and returns it with the function that closes it, which may be
// nil.
func (c *config) connect(ctx context.Context) (*gcsapi.Client, func() error, error) {
	if c.client != nil {
		return c.client, nil, nil // its owner closes it
	}
	// The credentials use the context to fetch tokens, even after this call has returned.
	ctx = context.WithoutCancel(ctx)
	base, release := c.base()
	rt, err := c.signed(ctx, guard{provider.TracedTransport(provider.Watched(c.stack.Stall, base))})
	if err != nil {
		return nil, nil, err
	}
	c.sender = &http.Client{Transport: rt, CheckRedirect: provider.NoRedirect}
	opts := []apioption.ClientOption{
		apioption.WithoutAuthentication(), // the transport authenticates
		apioption.WithHTTPClient(c.sender),
	}
	if c.endpoint != "" {
		opts = append(opts, apioption.WithEndpoint(c.endpoint+"/storage/v1/"))
	}
	if c.universe != "" {
		opts = append(opts, apioption.WithUniverseDomain(c.universe))
	}
	client, err := gcsapi.NewClient(ctx, opts...)
	if err != nil {
		return nil, nil, fault.Newf(fault.Refused, "the client cannot be created: %w", err)
	}
	// This store has its own retry layer. If the SDK retried a conditional put after it lost the
	// response, the success of the first attempt would become a conflict. Requests for tokens keep
	// the SDK's retries.
	client.SetRetry(gcsapi.WithPolicy(gcsapi.RetryNever))
	return client, func() error {
		return errors.Join(client.Close(), release())
	}, nil
}

// base returns the transport without credentials and the function that releases its connections.
func (c *config) base() (http.RoundTripper, func() error) {
	switch nothing := func() error { return nil }; {
	case c.under != nil:
		return c.under, nothing
	case c.httpClient == nil:
		return c.stack.Transport(c.Shared().Name, transport(c.stack.Connections(numbers())))
	case c.httpClient.Transport == nil:
		return http.DefaultTransport, nothing
	default:
		return c.httpClient.Transport, nothing
	}
}

// transport returns net/http's default transport, including proxies, restricted to HTTP/1.1 and
// with as many connections as requests in flight.
func transport(requests int) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if d, ok := http.DefaultTransport.(*http.Transport); ok {
		t = d.Clone()
	}
	provider.Connections(t, requests)
	return t
}
