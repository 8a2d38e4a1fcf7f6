package azure

import (
	"net/url"
	"testing"

	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/memblob"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/internal/test/fake/wrapped"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestFromBucket checks that a container opened by gocloud has versions, conditions and tuning.
func TestFromBucket(t *testing.T) {
	environment(t)
	f := NewFake(t)
	fake.FromBucket(t, fake.Taking[*gcblob.Bucket]{
		Bucket: bucketOf(t, f, "zarr-test"), Other: memblob.OpenBucket(nil), URL: "azblob://zarr-test/p", Page: 5000,
		Name: "azblob://zarr-test/p?domain=" + url.QueryEscape(f.Host()) + "&storage_account=acct",
		From: func(b *gcblob.Bucket, url string) (store.Store, error) {
			return FromBucket(t.Context(), b, url, MaxInFlight(9))
		},
	})
}

// TestFromBucketWrapped checks containers with prefixes and other drivers.
func TestFromBucketWrapped(t *testing.T) {
	environment(t)
	f := NewFake(t)
	wrapped.FromBucket(t, wrapped.Provider{
		Scheme:   "azblob",
		Open:     func(t *testing.T, name string) *gcblob.Bucket { return bucketOf(t, f, name) },
		From:     func(b *gcblob.Bucket, url string) (store.Store, error) { return FromBucket(t.Context(), b, url) },
		Requests: func() int { return len(f.Requests()) },
	})
}

// bucketOf returns a container that gocloud has opened.
func bucketOf(t *testing.T, f *Fake, name string) *gcblob.Bucket {
	t.Helper()
	b, err := azureblob.OpenBucket(t.Context(), clientFor(t, f, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
