package s3

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/internal/test/fake/wrapped"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestFromBucket checks that a bucket opened by gocloud has versions, conditions and tuning.
func TestFromBucket(t *testing.T) {
	fake.FromBucket(t, fake.Taking[*gcblob.Bucket]{
		Bucket: bucketOf(t, NewFake(t), "zarr-test"), Other: memblob.OpenBucket(nil), URL: "s3://zarr-test/p", Name: "s3://zarr-test/p", Page: 1000,
		From: func(b *gcblob.Bucket, url string) (store.Store, error) {
			return FromBucket(t.Context(), b, url, MaxInFlight(9))
		},
	})
}

// TestFromBucketWrapped checks buckets with prefixes and other drivers.
func TestFromBucketWrapped(t *testing.T) {
	f := NewFake(t)
	wrapped.FromBucket(t, wrapped.Provider{
		Scheme:   "s3",
		Open:     func(t *testing.T, name string) *gcblob.Bucket { return bucketOf(t, f, name) },
		From:     func(b *gcblob.Bucket, url string) (store.Store, error) { return FromBucket(t.Context(), b, url) },
		Requests: func() int { return len(f.Requests()) },
	})
}

// bucketOf returns a bucket that gocloud has opened.
func bucketOf(t *testing.T, f *Fake, name string) *gcblob.Bucket {
	t.Helper()
	client := awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(f.URL), UsePathStyle: true, Credentials: aws.AnonymousCredentials{},
	})
	b, err := s3blob.OpenBucket(t.Context(), client, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
