package gcs

import (
	"testing"

	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/memblob"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/internal/test/fake/wrapped"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestFromBucket checks that a bucket opened by gocloud has versions, conditions and tuning.
func TestFromBucket(t *testing.T) {
	noEnvironment(t)
	fake.FromBucket(t, fake.Taking[*gcblob.Bucket]{
		Bucket: bucketOf(t, NewFake(t), "zarr-test"), Other: memblob.OpenBucket(nil), URL: "gs://zarr-test/p", Page: 1000,
		Name: "gs://zarr-test/p",
		From: func(b *gcblob.Bucket, url string) (store.Store, error) {
			return FromBucket(t.Context(), b, url, MaxInFlight(9))
		},
	})
}

// TestFromBucketWrapped checks buckets with prefixes and other drivers.
func TestFromBucketWrapped(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	wrapped.FromBucket(t, wrapped.Provider{
		Scheme:   "gs",
		Open:     func(t *testing.T, name string) *gcblob.Bucket { return bucketOf(t, f, name) },
		From:     func(b *gcblob.Bucket, url string) (store.Store, error) { return FromBucket(t.Context(), b, url) },
		Requests: func() int { return len(f.Requests()) },
	})
}

// bucketOf returns a bucket that gocloud has opened.
func bucketOf(t *testing.T, f *Fake, name string) *gcblob.Bucket {
	t.Helper()
	b, err := gcsblob.OpenBucket(t.Context(), nil, name, &gcsblob.Options{Client: clientOf(t, f)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
