package gcs

import (
	"context"
	"slices"

	gcsapi "cloud.google.com/go/storage"
	"cloud.google.com/go/storage/transfermanager"
	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/provider/opened"
	"github.com/zargo-io/zargo/zarr/store"
)

// FromBucket opens a bucket that gocloud.dev has opened. url names the same bucket, with the prefix
// and the parameters that do not concern the connection. Unlike a store of blob.New, the result has
// versions, conditions, suffix reads in one request and Google's own errors. The store owns b: its
// Close closes b.
//
// The store sends requests with the SDK's client of b, not through b's driver. If gocloud's
// PrefixedBucket made b, the prefix of url must therefore begin with the prefix of b.
//
// FromBucket returns a *UsageError if b is not a bucket of Google Cloud Storage, if url names
// another bucket or a prefix outside of that of b, and if the driver of b wraps the driver of GCS,
// for example to encrypt values or to refuse writes. It finds this without a request. It does not
// find a wrapper that implements driver.DownloaderAt by calling the driver of GCS, nor a wrapper
// below a prefixed bucket: use blob.New for these.
func FromBucket(ctx context.Context, b *gcblob.Bucket, url string, opts ...Option) (store.Store, error) {
	c := &config{opened: b}
	return provider.Open(ctx, c, func() error {
		var client *gcsapi.Client
		if !b.As(&client) {
			return provider.Usage("the bucket is not a Google Cloud Storage bucket")
		}
		if err := c.read(url, append(slices.Clip(opts), Client(client))); err != nil {
			return err
		}
		return driver().Check(b, c.bucket, c.prefix)
	})
}

// driver shows the requests of gocloud's driver. Only the driver of GCS itself downloads with the
// transfer manager.
func driver() opened.Driver {
	return opened.Driver{
		Download: opened.Of(func(in *transfermanager.DownloadObjectInput) (bucket, key *string) {
			return &in.Bucket, &in.Object
		}),
		Read: opened.Of(func(in **gcsapi.ObjectHandle) (bucket, key *string) {
			name, at := (*in).BucketName(), (*in).ObjectName()
			return &name, &at
		}),
	}
}
