package s3

import (
	"context"
	"strings"

	"gocloud.dev/blob/s3blob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// Open opens "s3://bucket/prefix?parameters". The prefix becomes the store's root. No request is
// made: a missing bucket or refused credentials show at the first verb.
//
// The parameters are gocloud.dev's: region, endpoint, use_path_style (s3ForcePathStyle,
// hostname_immutable), anonymous, profile, role, dualstack, fips, accelerate, disable_https,
// request_checksum_calculation, response_checksum_validation, ssetype, kmskeyid; awssdk and
// rate_limiter_capacity have no effect. Ours are requester_pays, storage_class, content_type,
// expected_bucket_owner, sse_customer and sdk_reads. Anything else is an error.
//
// The bucket may be an ARN: "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/name/prefix", of an
// access point of one region, of many (alias.mrap, signed with SigV4A) or on Outposts, or of a
// bucket. Those of Object Lambda are refused, as their objects are made anew for each request.
//
// *UsageError: the URL, a parameter or an option is malformed or contradicts another. fault.Path:
// the prefix is no key. fault.Refused: the AWS configuration cannot be used, a profile is missing,
// a directory bucket has no region, or a customer's key would go to a server that only the URL
// names.
//
// The store retries, limits its requests (see [Retry] and [MaxInFlight]) and implements every
// optional verb. store.As finds its *awss3.Client, *gcblob.Bucket and store.Tuning.
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
	if endpoint := client.Options().BaseEndpoint; endpoint != nil {
		c.reached = strings.TrimRight(*endpoint, "/")
	}
	bucket := c.opened
	if bucket == nil {
		if bucket, err = s3blob.OpenBucket(ctx, client, c.bucket, nil); err != nil {
			return nil, provider.Usage("%v", err)
		}
	}
	b := newBucket(client, c)
	hooks := b.hooks()
	hooks.Close = c.conns.close
	return blob.New(bucket,
		blob.Name(c.Name()),
		blob.WithHooks(hooks),
		blob.CheckKeys(b.checkKey),
		blob.Tuning(c.tuning()),
	), nil
}
