package gcs

import (
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// UsageError reports a mistake in the URL or the options of [Open]. It does not match a kind of
// package fault, because kinds describe requests and stored data. All providers share this type.
type UsageError = store.UsageError

// form returns the form of URLs, "gs://bucket/prefix?parameters".
func form() provider.Form {
	return provider.Form{
		Scheme: "gs", Article: "a", Bucket: "bucket", Server: "an endpoint is a parameter",
		Secrets: "the environment or an option",
	}
}

// parseURL sets the bucket, the prefix and the parameters from the URL.
func (c *config) parseURL(raw string) error {
	if rest, ok := strings.CutPrefix(raw, "gcs://"); ok {
		raw = "gs://" + rest // an alias that other tools use
	}
	p, err := form().Parse(raw)
	c.bucket, c.prefix = p.Bucket, p.Prefix
	if err != nil {
		return err
	}
	err = c.params().Set(p.Query)
	c.fromURL = c.place
	return err
}

// params returns the query parameters of gocloud.dev for GCS and those of this package.
func (c *config) params() provider.Params {
	return provider.Params{
		Texts: map[string]*string{
			"universe_domain": &c.universe,
			"endpoint":        &c.endpoint, // of this package, as are all below
			"user_project":    &c.userProject,
			"kms_key":         &c.kmsKey,
			"storage_class":   &c.storageClass,
			"content_type":    &c.contentType,
		},
		Flags: map[string]*bool{"anonymous": &c.anonymous, "readonly": &c.stack.ReadOnly, "hedge": &c.stack.Hedge},
		Other: c.other,
	}
}

// other handles parameters of gocloud.dev for features that this package lacks: other protocols,
// and the identity and key for signed URLs.
func (c *config) other(name, value string) (known bool, err error) {
	switch name {
	case "grpc", "zonal":
		on, err := provider.Flag(name, value)
		if err == nil && on {
			err = provider.Usage("parameter %s must be false: only HTTP is supported", name)
		}
		return true, err
	case "access_id":
		c.anonymous = c.anonymous || value == "-" // gocloud.dev's older form of anonymous
		return true, nil
	}
	return name == "private_key_path", nil
}

// Name implements [provider.Config].
func (c *config) Name() string {
	query := ""
	if c.endpoint != "" {
		query = "endpoint=" + c.endpoint
	}
	return provider.Name("gs", c.bucket, c.prefix, query)
}
