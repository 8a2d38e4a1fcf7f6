package s3

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/provider/opened"
	"github.com/zargo-io/zargo/zarr/store"
)

// FromBucket opens a bucket that gocloud.dev has opened. url names the same bucket, with the prefix
// and the parameters that do not concern the connection. Unlike a store of blob.New, the result has
// versions, conditions, suffix reads in one request, batch deletes, multipart uploads and S3's own
// errors. The store owns b: its Close closes b.
//
// The store sends requests with the SDK's client of b, not through b's driver. If gocloud's
// PrefixedBucket made b, the prefix of url must therefore begin with the prefix of b.
//
// FromBucket returns a *UsageError if b is not a bucket of S3, if url names another bucket or a
// prefix outside of that of b, and if the driver of b wraps the driver of S3, for example to
// encrypt values or to refuse writes. It finds this without a request. It does not find a wrapper
// that implements driver.DownloaderAt by calling the driver of S3, nor a wrapper below a prefixed
// bucket: use blob.New for these.
func FromBucket(ctx context.Context, b *gcblob.Bucket, url string, opts ...Option) (store.Store, error) {
	c := &config{opened: b}
	return provider.Open(ctx, c, func() error {
		var client *awss3.Client
		if !b.As(&client) {
			return provider.Usage("the bucket is not an S3 bucket")
		}
		if err := c.read(url, append(slices.Clip(opts), Client(client))); err != nil {
			return err
		}
		return driver().Check(b, c.bucket, c.prefix)
	})
}

// driver shows the requests of gocloud's driver. Only the driver of S3 itself downloads with the
// transfer manager.
func driver() opened.Driver {
	return opened.Driver{
		Download: opened.Of(func(in *transfermanager.DownloadObjectInput) (bucket, key *string) {
			return in.Bucket, in.Key
		}),
		Read: opened.Of(func(in *awss3.GetObjectInput) (bucket, key *string) {
			return in.Bucket, in.Key
		}),
	}
}
