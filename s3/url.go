package s3

import (
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// UsageError reports a mistake in the URL or the options of [Open]. It does not match a kind of
// package fault, because kinds describe requests and stored data. All providers share this type.
type UsageError = store.UsageError

// form returns the form of URLs, "s3://bucket/prefix?parameters".
func form() provider.Form {
	return provider.Form{
		Scheme: "s3", Article: "an", Bucket: "bucket", Server: "an endpoint is a parameter",
		Secrets: "the environment, a profile or s3.Credentials",
	}
}

// parseURL sets the bucket, the prefix and the parameters from the URL.
func (c *config) parseURL(raw string) error {
	bucket, region, rest, isARN, err := splitARN(raw)
	if err != nil {
		return err
	}
	p, err := form().Parse(rest)
	c.bucket, c.prefix = p.Bucket, p.Prefix
	if isARN {
		c.bucket, c.arnRegion = bucket, region
	}
	if err != nil {
		return err
	}
	return c.params().Set(p.Query)
}

// params returns the query parameters of gocloud.dev for S3 and those of this package.
func (c *config) params() provider.Params {
	return provider.Params{
		Texts: map[string]*string{
			"region":                       &c.region,
			"endpoint":                     &c.endpoint,
			"profile":                      &c.profile,
			"role":                         &c.role,
			"request_checksum_calculation": &c.requestChecksum,
			"response_checksum_validation": &c.responseChecksum,
			"ssetype":                      &c.sse,
			"kmskeyid":                     &c.kmsKey,
			"storage_class":                &c.storageClass, // of this package
			"content_type":                 &c.contentType,  // of this package
			"expected_bucket_owner":        &c.owner,        // of this package
		},
		Flags: map[string]*bool{
			"anonymous":      &c.anonymous,
			"use_path_style": &c.pathStyle,
			// Older names of use_path_style. An immutable host name cannot contain the bucket, so
			// the path must.
			"s3ForcePathStyle":   &c.pathStyle,
			"hostname_immutable": &c.pathStyle,
			"dualstack":          &c.dualstack,
			"fips":               &c.fips,
			"accelerate":         &c.accelerate,
			"disable_https":      &c.disableHTTPS,
			"requester_pays":     &c.requesterPays, // of this package
			"sse_customer":       &c.customerEnv,   // of this package
			"sdk_reads":          &c.sdkReads,      // of this package
			"hedge":              &c.stack.Hedge,   // of this package
		},
		Other: func(name, _ string) (bool, error) {
			// In gocloud.dev, awssdk selects the version of the SDK. rate_limiter_capacity limits
			// the SDK's retries, which are disabled here.
			return name == "awssdk" || name == "rate_limiter_capacity", nil
		},
	}
}

// Name implements [provider.Config].
func (c *config) Name() string {
	query := ""
	if c.endpoint != "" {
		query = "endpoint=" + c.endpoint
	}
	return provider.Name("s3", c.bucket, c.prefix, query)
}
