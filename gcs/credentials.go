package gcs

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// defaultUniverse is the domain of Google's public cloud.
const defaultUniverse = "googleapis.com"

// scope returns the narrowest scope that the store needs.
func (c *config) scope() string {
	if c.stack.ReadOnly {
		return "https://www.googleapis.com/auth/devstorage.read_only"
	}
	return "https://www.googleapis.com/auth/devstorage.read_write"
}

// detect finds the credentials: a key file, or the application default credentials. A credentials
// file names the hosts that issue tokens, so its location comes from the user and never from a URL.
func (c *config) detect() (*auth.Credentials, error) {
	o := &credentials.DetectOptions{Scopes: []string{c.scope()}, Client: c.tokenClient, DisableAsyncRefresh: true}
	if c.file != "" {
		return credentials.NewCredentialsFromFile(credentials.ServiceAccount, c.file, o)
	}
	return credentials.DetectDefault(o)
}

// signed adds credentials to a transport.
func (c *config) signed(ctx context.Context, base http.RoundTripper) (http.RoundTripper, error) {
	if c.anonymous || c.httpClient != nil {
		return base, nil
	}
	b := &bearer{next: base}
	if c.tokens != nil {
		b.tokens = &tokens{fetch: fromSource(c.tokens)}
		b.hosts = c.trusted()
		return b, c.checkUniverse(defaultUniverse)
	}
	found, err := c.detect()
	if err != nil {
		return nil, fault.Newf(fault.NoCredentials, "no Google credentials were found: set GOOGLE_APPLICATION_CREDENTIALS, run "+
			"\"gcloud auth application-default login\", or open a public bucket with anonymous=true (%w)", err)
	}
	if err := c.findUniverse(ctx, found); err != nil {
		return nil, err
	}
	b.hosts, b.quota = c.trusted(), quotaProject(found)
	b.tokens = &tokens{fetch: func(ctx context.Context) (token, error) {
		// Detect the credentials again for each fetch, because the key file may have changed, and a
		// cache could return a rejected token.
		found, err := c.detect()
		if err != nil {
			return token{}, err
		}
		t, err := found.Token(ctx)
		if err != nil {
			return token{}, err
		}
		kind := t.Type
		if kind == "" {
			kind = "Bearer"
		}
		return newToken(kind+" "+t.Value, t.Expiry), nil
	}}
	return b, nil
}

// findUniverse sets the universe to that of the credentials if no universe is configured. It
// queries the metadata server only if the URL names a universe.
func (c *config) findUniverse(ctx context.Context, found *auth.Credentials) error {
	if found.JSON() == nil && c.fromURL.universe == "" {
		return nil
	}
	of, err := found.UniverseDomain(ctx)
	if err != nil {
		return fault.Newf(provider.CredentialKind(err, 0), "the universe domain of the credentials is unknown: %w", err)
	}
	if c.universe == "" && of != defaultUniverse {
		c.universe = of
	}
	return c.checkUniverse(of)
}

// checkUniverse rejects a universe that only the URL names, because tokens are sent to that domain.
func (c *config) checkUniverse(ofCredentials string) error {
	u := c.fromURL.universe
	if u == "" || u == defaultUniverse || u == ofCredentials || c.trustedByName().Has(u) {
		return nil
	}
	return provider.Usage("the credentials belong to the universe domain %[2]s and are not sent to %[1]s, which only the URL names: set GOOGLE_CLOUD_UNIVERSE_DOMAIN, "+
		"gcs.UniverseDomain, gcs.TrustHost or %[3]s", u, ofCredentials, provider.TrustVariable)
}

// trustedByName returns the hosts that were configured outside the URL.
func (c *config) trustedByName() provider.Hosts {
	h := append(provider.TrustedByUser(), c.trust...)
	if u := os.Getenv("GOOGLE_CLOUD_UNIVERSE_DOMAIN"); u != "" {
		h = append(h, u)
	}
	return h
}

// trusted returns the hosts that tokens may be sent to.
func (c *config) trusted() provider.Hosts {
	h := append(c.trustedByName(), defaultUniverse)
	if c.universe != "" {
		h = append(h, c.universe) // see checkUniverse
	}
	if c.endpoint != "" && c.fromURL.endpoint == "" {
		h = append(h, hostOf(c.endpoint))
	}
	return h
}

// quotaProject returns the project whose quota the requests use. It looks for the project in the
// same places as Google's libraries.
func quotaProject(found *auth.Credentials) string {
	if p := os.Getenv("GOOGLE_CLOUD_QUOTA_PROJECT"); p != "" {
		return p
	}
	var file struct {
		QuotaProject string `json:"quota_project_id"`
	}
	_ = json.Unmarshal(found.JSON(), &file) // cannot fail: detect has parsed it
	return file.QuotaProject
}
