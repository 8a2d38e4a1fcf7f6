package s3

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"

	"github.com/zargo-io/zargo/internal/provider/fake"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestFromBucket checks that a bucket opened by gocloud has versions, conditions and tuning.
func TestFromBucket(t *testing.T) {
	f := NewFake(t)
	client := awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(f.URL), UsePathStyle: true, Credentials: aws.AnonymousCredentials{},
	})
	b, err := s3blob.OpenBucket(t.Context(), client, "zarr-test", nil)
	if err != nil {
		t.Fatal(err)
	}
	fake.FromBucket(t, fake.Taking[*gcblob.Bucket]{
		Bucket: b, Other: memblob.OpenBucket(nil), URL: "s3://zarr-test/p", Name: "s3://zarr-test/p", Page: 1000,
		From: func(b *gcblob.Bucket, url string) (store.Store, error) {
			return FromBucket(t.Context(), b, url, MaxInFlight(9))
		},
	})
}
