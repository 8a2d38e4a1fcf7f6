package s3

import (
	"context"
	"slices"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// FromBucket opens a bucket that gocloud.dev has opened. url names the same bucket, with the prefix
// and the parameters that do not concern the connection. Unlike a store of blob.New, the result has
// versions, conditions, suffix reads in one request, batch deletes, multipart uploads and S3's own
// errors. The store owns b: its Close closes b.
//
// FromBucket returns a *UsageError if b is not a bucket of S3.
func FromBucket(ctx context.Context, b *gcblob.Bucket, url string, opts ...Option) (store.Store, error) {
	c := &config{opened: b}
	return provider.Open(ctx, c, func() error {
		var client *awss3.Client
		if !b.As(&client) {
			return provider.Usage("the bucket is not an S3 bucket")
		}
		return c.read(url, append(slices.Clip(opts), Client(client)))
	})
}
