package conformance

import (
	"context"
	"net/url"
	"strings"
	"testing"

	gcsapi "cloud.google.com/go/storage"
	gcblob "gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // opens azblob://
	"gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob" // opens s3://
	apioption "google.golang.org/api/option"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// portable returns the place of a bucket that gocloud.dev opens with its driver's client and
// settings, and that blob.New wraps.
func portable(t *testing.T, b bucket.Provider) place {
	t.Helper()
	return place{
		name: "gocloud-" + b.Name,
		open: func(t *testing.T) pair {
			t.Helper()
			// With pages of 7 entries, the listings of a short run have several pages.
			return pair{s: blob.New(opened(t, b.URL(t)), blob.Tuning(store.Tuning{ListPage: 7}))}
		},
		// Operations that the portable API does not support must be refused and never ignored.
		limits: []storetest.Option{storetest.Without(storetest.Versions, storetest.AnyKey)},
	}
}

// opened opens a bucket by its URL. GCS URLs have no parameter for an endpoint.
func opened(t *testing.T, raw string) *gcblob.Bucket {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	prefix := strings.TrimPrefix(u.Path, "/") + "/"
	u.Path = ""
	if u.Scheme == "s3" { // otherwise the SDK logs that these servers send no checksum of a range
		u.RawQuery += "&response_checksum_validation=when_required"
	}
	var b *gcblob.Bucket
	if u.Scheme == "gs" && u.Query().Has("endpoint") {
		b, err = openedGCS(t.Context(), u)
	} else {
		b, err = gcblob.OpenBucket(t.Context(), u.String())
	}
	if err != nil {
		t.Fatal(err)
	}
	return gcblob.PrefixedBucket(b, prefix)
}

func openedGCS(ctx context.Context, u *url.URL) (*gcblob.Bucket, error) {
	client, err := gcsapi.NewClient(ctx, apioption.WithEndpoint(u.Query().Get("endpoint")+"/storage/v1/"), apioption.WithoutAuthentication())
	if err != nil {
		return nil, err
	}
	return gcsblob.OpenBucket(ctx, nil, u.Host, &gcsblob.Options{Client: client})
}

// TestPortableBuckets checks that a bare bucket passes the suite on every server. Operations that
// the portable API does not support must be refused.
func TestPortableBuckets(t *testing.T) {
	t.Parallel()
	for _, b := range bucket.All() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			p := portable(t, b)
			if got := store.ConditionsOf(p.open(t).s); got != (store.Conditions{IfAbsent: true}) {
				t.Errorf("conditions %+v", got)
			}
			check(t, p, p.known, func() pair { return p.open(t) }, few()...)
		})
	}
}
