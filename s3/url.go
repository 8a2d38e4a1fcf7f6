package s3

import "github.com/zargo-io/zargo/internal/provider"

// form is "s3://bucket/prefix?parameters".
func form() provider.Form {
	return provider.Form{
		Scheme: "s3", Article: "an", Bucket: "bucket", Server: "an endpoint is a parameter",
		Secrets: "the environment, a profile or s3.Credentials",
	}
}

// parseURL fills c from the URL.
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

// params are gocloud.dev's query parameters for S3, and our own.
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
			"storage_class":                &c.storageClass, // ours
			"content_type":                 &c.contentType,  // ours
			"expected_bucket_owner":        &c.owner,        // ours
		},
		Flags: map[string]*bool{
			"anonymous":      &c.anonymous,
			"use_path_style": &c.pathStyle,
			// The older names for the same: a host name that stays as it is has no room for the
			// bucket.
			"s3ForcePathStyle":   &c.pathStyle,
			"hostname_immutable": &c.pathStyle,
			"dualstack":          &c.dualstack,
			"fips":               &c.fips,
			"accelerate":         &c.accelerate,
			"disable_https":      &c.disableHTTPS,
			"requester_pays":     &c.requesterPays, // ours
			"sse_customer":       &c.customerEnv,   // ours
			"sdk_reads":          &c.sdkReads,      // ours
			"hedge":              &c.stack.Hedge,   // ours
		},
		Other: func(name, _ string) (bool, error) {
			// gocloud's choice of SDK version, and its limit on SDK retries, of which there are
			// none here.
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

// UsageError is a mistake in the URL or the options given to [Open]. It has no kind of package
// fault: it is not about what is stored. It is one type for all providers.
type UsageError = provider.UsageError
