package gcs

import (
	"context"
	"slices"

	gcsapi "cloud.google.com/go/storage"
	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// Open opens "gs://bucket/prefix?parameters". The prefix becomes the store's root. The bucket is
// not asked for anything: a missing one or refused credentials show at the first verb. Looking for
// the application default credentials may ask Google's metadata server.
//
// The parameters are gocloud.dev's: anonymous, universe_domain; access_id=- is anonymous, and
// access_id and private_key_path have no effect otherwise; grpc and zonal must be false. Ours are
// endpoint, readonly, user_project, kms_key, storage_class and content_type. Anything else is an
// error. "gcs://" is read as "gs://".
//
// Credentials are sent to Google's hosts, and to others only if something other than the URL names
// them: see [Endpoint] and [TrustHost].
//
// *UsageError: the URL, a parameter or an option is malformed or contradicts another, or the URL
// names a server that is not trusted with credentials. fault.Path: the prefix is no key.
// fault.Refused: no credentials were found, or their file cannot be read.
//
// The store retries, limits its requests (see [Retry] and [MaxInFlight]), implements
// store.PageLister and store.BatchDeleter, and gives by store.As: *storage.Client (its retries are
// off), *gcblob.Bucket and store.Tuning.
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

// FromBucket is [Open] of a bucket that gocloud.dev has opened: url names the same bucket, with the
// prefix and the parameters that are not about the connection. Unlike blob.New it has versions,
// conditions, tails in one request and Google's own errors. It takes b over: Close closes it.
//
// *UsageError: b is not a bucket of Google Cloud Storage.
func FromBucket(ctx context.Context, b *gcblob.Bucket, url string, opts ...Option) (store.Store, error) {
	c := &config{opened: b}
	return provider.Open(ctx, c, func() error {
		var client *gcsapi.Client
		if !b.As(&client) {
			return provider.Usage("the bucket is not one of Google Cloud Storage")
		}
		return c.read(url, append(slices.Clip(opts), Client(client)))
	})
}
