package gcs

import (
	"context"
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

// config is what the URL and the options say.
type config struct {
	bucket, prefix string

	anonymous bool
	tokens    oauth2.TokenSource
	file      string
	place
	fromURL    place    // what the URL alone says
	trust      []string // hosts that tokens may be sent to
	httpClient *http.Client
	client     *gcsapi.Client
	opened     *gcblob.Bucket // holds client

	under       http.RoundTripper // of tests, instead of the network
	sender      *http.Client      // what the client sends by; nil where the client is the caller's
	tokenClient *http.Client      // nil is Google's library's own

	userProject, kmsKey, storageClass, contentType string
	key                                            []byte

	stack provider.Stack
}

// place is where the server is.
type place struct{ endpoint, universe string }

// check validates everything once, at Open.
func (c *config) check() error {
	if c.client != nil && (c.place != place{} || c.anonymous || c.tokens != nil || c.file != "" || c.httpClient != nil || c.trust != nil || c.stack.Stall != 0) {
		return provider.Usage("with gcs.Client the client says how to connect, not parameters or options")
	}
	ways := 0
	for _, given := range []bool{c.anonymous, c.tokens != nil, c.file != "", c.httpClient != nil} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return provider.Usage("only one of anonymous, gcs.TokenSource, gcs.CredentialsFile and gcs.HTTPClient can say who asks")
	case c.key != nil && len(c.key) != 32:
		return provider.Usage("an encryption key has 32 bytes, this one %d", len(c.key))
	case c.key != nil && c.kmsKey != "":
		return provider.Usage("gcs.EncryptionKey contradicts kms_key")
	case c.kmsKey != "" && !strings.HasPrefix(c.kmsKey, "projects/"):
		return provider.Usage(`parameter kms_key is %q and does not begin with "projects/"`, c.kmsKey)
	}
	if err := c.stack.Check(); err != nil {
		return err
	}
	if c.client != nil {
		return nil
	}
	if c.anonymous && c.userProject != "" && c.endpoint == "" {
		return provider.Usage("user_project needs credentials: anonymous requests cannot be billed")
	}
	if err := c.checkEndpoint(); err != nil {
		return err
	}
	return c.checkTrust()
}

// checkTrust refuses credentials for a server that only the URL names, and in the clear: a URL is
// data, and may come from anywhere. A client of the caller's may bring credentials.
func (c *config) checkTrust() error {
	if c.anonymous || c.endpoint == "" {
		return nil
	}
	host := hostOf(c.endpoint)
	switch {
	case provider.Loopback(host):
		return nil
	case !strings.HasPrefix(c.endpoint, "https:"):
		return provider.Usage("the endpoint is not https, and credentials would cross the network in the clear; anonymous=true sends none")
	case c.fromURL.endpoint != "" && !append(c.trustedByName(), defaultUniverse).Has(host):
		return provider.Usage("the endpoint is not Google's, and only the URL names it: credentials go there only if gcs.Endpoint, gcs.TrustHost or %s names it; "+
			"anonymous=true sends none", provider.TrustVariable)
	}
	return nil
}

func hostOf(endpoint string) string {
	_, host, _ := strings.Cut(endpoint, "://")
	return host
}

// checkEndpoint takes a host, or a URL without a path. The environment's emulator, as the SDK's
// users set it, has no credentials.
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
		return provider.Usage("%s is not a URL such as http://127.0.0.1:4443", from)
	}
	c.endpoint = u.Scheme + "://" + u.Host
	if u.Scheme == "http" && c.tokens == nil && c.file == "" && c.httpClient == nil {
		c.anonymous = true // a token would cross the network in the clear
	}
	return nil
}

// connect makes the SDK's client, and what closes it.
func (c *config) connect(ctx context.Context) (*gcsapi.Client, func() error, error) {
	if c.client != nil {
		return c.client, nil, nil // whose owner closes it
	}
	// Credentials keep their context for as long as they fetch tokens, which is longer than this
	// call.
	ctx = context.WithoutCancel(ctx)
	base, idle := c.base()
	rt, err := c.signed(ctx, guard{provider.TracedTransport(provider.Watched(c.stack.Stall, base))})
	if err != nil {
		return nil, nil, err
	}
	c.sender = &http.Client{Transport: rt, CheckRedirect: provider.NoRedirect}
	opts := []apioption.ClientOption{
		apioption.WithoutAuthentication(), // the transport does that
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
		return nil, nil, fault.Newf(fault.Refused, "the client cannot be made: %w", err)
	}
	// One retry layer, ours: an SDK that repeats a conditional put whose answer was lost turns our
	// own success into a refusal. Fetching tokens keeps its retries.
	client.SetRetry(gcsapi.WithPolicy(gcsapi.RetryNever))
	return client, func() error {
		err := client.Close()
		idle()
		return err
	}, nil
}

// base is the transport below credentials.
func (c *config) base() (http.RoundTripper, func()) {
	if c.under != nil {
		return c.under, func() {}
	}
	if c.httpClient == nil {
		t := transport(c.stack.Connections(numbers()))
		return t, t.CloseIdleConnections
	}
	if c.httpClient.Transport == nil {
		return http.DefaultTransport, func() {}
	}
	return c.httpClient.Transport, func() {}
}

// transport is net/http's default, proxies and all, but over HTTP/1.1 and with as many connections
// as requests are made at once.
func transport(requests int) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if d, ok := http.DefaultTransport.(*http.Transport); ok {
		t = d.Clone()
	}
	provider.Connections(t, requests)
	return t
}
