package gcs

import (
	"context"

	"gocloud.dev/blob/gcsblob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// Open opens "gs://bucket/prefix?parameters". The prefix becomes the root of the store. Open does
// not send a request to the bucket, so a missing bucket or rejected credentials are reported by the
// first call of the store. The search for application default credentials may query Google's
// metadata server.
//
// The parameters of gocloud.dev are anonymous and universe_domain. The parameter access_id=- is
// equivalent to anonymous=true; other values of access_id, and private_key_path, have no effect.
// The parameters grpc and zonal must be false. This package adds endpoint, readonly, user_project,
// kms_key, storage_class, content_type and hedge. Any other parameter is an error. The scheme
// "gcs://" is equivalent to "gs://".
//
// Credentials are sent to Google's hosts. They are sent to other hosts only if these are configured
// outside the URL: see [Endpoint] and [TrustHost].
//
// Open returns a *UsageError if the URL, a parameter or an option is malformed or conflicts with
// another, or if the URL names a server that is not trusted with credentials. It returns fault.Path
// if the prefix is not a valid key, and fault.Refused if no credentials were found or their file
// cannot be read.
//
// The store retries requests, limits them (see [Retry] and [MaxInFlight]) and implements
// store.PageLister, store.BatchDeleter, store.PartPutter and store.Copier. store.As finds its
// *storage.Client (without retries), *gcblob.Bucket and store.Tuning.
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
	client, closes, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	gc := c.opened
	if gc == nil {
		if gc, err = gcsblob.OpenBucket(ctx, nil, c.bucket, &gcsblob.Options{Client: client}); err != nil {
			return nil, provider.Usage("%v", err)
		}
	}
	b := newBucket(client, c)
	hooks := b.hooks()
	hooks.Close = closes
	return blob.New(gc,
		blob.Name(c.Name()),
		blob.WithHooks(hooks),
		blob.CheckKeys(b.checkKey),
		blob.Tuning(c.tuning()),
	), nil
}
