package azure

import (
	"net/url"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// UsageError reports a mistake in the URL or the options of [Open]. It does not match a kind of
// package fault, because kinds describe requests and stored data. All providers share this type.
type UsageError = store.UsageError

// form returns the form of URLs, "azblob://container/prefix?parameters".
func form() provider.Form {
	return provider.Form{
		Scheme: "azblob", Article: "an", Bucket: "container", Server: "the account is the parameter storage_account",
		Secrets: "the environment or an option",
	}
}

// parseURL sets the container, the prefix and the parameters from the URL.
func (c *config) parseURL(raw string) error {
	raw, err := c.ownForm(raw)
	if err != nil {
		return err
	}
	p, err := form().Parse(raw)
	c.container, c.prefix = p.Bucket, p.Prefix
	if err != nil {
		return err
	}
	if err := checkDots(c.prefix); err != nil {
		return err
	}
	err = c.params().Set(p.Query)
	c.fromURL = c.place
	return err
}

// params returns the query parameters of gocloud.dev for Azure and those of this package.
func (c *config) params() provider.Params {
	return provider.Params{
		Texts: map[string]*string{
			"storage_account": &c.account,
			"domain":          &c.domain,
			"protocol":        &c.protocol,
			"access_tier":     &c.tier,        // of this package
			"content_type":    &c.contentType, // of this package
		},
		Flags: map[string]*bool{
			"readonly":     &c.stack.ReadOnly, // of this package
			"verify_reads": &c.verify,         // of this package
			"cdn":          &c.cdn,
			"localemu":     &c.emulator,
			"anonymous":    &c.anonymous,   // of this package
			"hedge":        &c.stack.Hedge, // of this package
		},
		Other: func(name, _ string) (bool, error) {
			if name == "sig" || name == "sv" || name == "se" || name == "sp" {
				return true, provider.Usage("a SAS token must not be in the URL, which is printed: set AZURE_STORAGE_SAS_TOKEN or azure.SASToken")
			}
			return false, nil
		},
	}
}

// Name implements [provider.Config].
func (c *config) Name() string {
	q := url.Values{}
	if c.account != "" {
		q.Set("storage_account", c.account)
	}
	if c.domain != "" {
		q.Set("domain", c.domain)
	}
	return provider.Name("azblob", c.container, c.prefix, q.Encode())
}
