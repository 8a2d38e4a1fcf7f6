package s3

import (
	"context"

	"gocloud.dev/blob/s3blob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// Open opens "s3://bucket/prefix?parameters". The prefix becomes the root of the store. Open does
// not send a request, so a missing bucket or rejected credentials are reported by the first call of
// the store.
//
// The parameters of gocloud.dev are region, endpoint, use_path_style (s3ForcePathStyle,
// hostname_immutable), anonymous, profile, role, dualstack, fips, accelerate, disable_https,
// request_checksum_calculation, response_checksum_validation, ssetype and kmskeyid. The parameters
// awssdk and rate_limiter_capacity are accepted and have no effect. This package adds
// requester_pays, storage_class, content_type, expected_bucket_owner, sse_customer, sdk_reads and
// hedge. Any other parameter is an error.
//
// The bucket may be an ARN, as in "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/name/prefix".
// The ARN may be that of an access point in one region, in several regions (alias.mrap, signed with
// SigV4A) or on Outposts, or of a bucket. Object Lambda access points are rejected, because they
// compute objects for each request.
//
// Open returns a *UsageError if the URL, a parameter or an option is malformed or conflicts with
// another, and fault.Path if the prefix is not a valid key. It returns fault.Refused if the AWS
// configuration is unusable, if a profile is missing, if a directory bucket has no region, or if a
// customer's key would be sent to a server that only the URL names.
//
// The store retries requests, limits them (see [Retry] and [MaxInFlight]) and implements every
// optional method. store.As finds its *awss3.Client, *gcblob.Bucket and store.Tuning.
func Open(ctx context.Context, url string, opts ...Option) (store.Store, error) {
	return new(config).open(ctx, url, opts)
}

func (c *config) open(ctx context.Context, url string, opts []Option) (store.Store, error) {
	return provider.Open(ctx, c, func() error { return c.read(url, opts) })
}

func (c *config) read(url string, opts []Option) error {
	if err := c.parseURL(url); err != nil {
		return err
	}
	for _, o := range opts {
		o.apply(c)
	}
	return c.check()
}

// Layers implements [provider.Config].
func (c *config) Layers() *provider.Stack { return &c.stack }

// Connect implements [provider.Config].
func (c *config) Connect(ctx context.Context) (store.Store, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.checkTrust(client.Options()); err != nil {
		return nil, err
	}
	bucket := c.opened
	if bucket == nil {
		if bucket, err = s3blob.OpenBucket(ctx, client, c.bucket, nil); err != nil {
			return nil, provider.Usage("%v", err)
		}
	}
	b := newBucket(client, c)
	hooks := b.hooks()
	hooks.Close = c.release
	return blob.New(bucket,
		blob.Name(c.Name()),
		blob.WithHooks(hooks),
		blob.CheckKeys(b.checkKey),
		blob.Tuning(c.tuning()),
	), nil
}
