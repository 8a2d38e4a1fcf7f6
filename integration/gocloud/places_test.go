package gocloud

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	gcsapi "cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/s3blob"
	apioption "google.golang.org/api/option"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
)

// place is a prefix of a bucket that is opened by gocloud.dev alone and by zargo. Both send
// requests through one recorder.
type place struct {
	rec      *recorder
	gocloud  *gcblob.Bucket // opened by gocloud.dev, below the prefix
	portable store.Store    // blob.New of gocloud
	zargo    store.Store    // without retries and limit
}

// provider describes how to create a place.
type provider struct {
	bucket bucket.Provider
	open   func(ctx context.Context, raw string, u *url.URL, rec *recorder) (*gcblob.Bucket, store.Store, error)
}

func providers() []provider {
	return []provider{{bucket.S3(), openS3}, {bucket.GCS(), openGCS}, {bucket.Azure(), openAzure}}
}

func (p provider) place(t testing.TB) *place {
	t.Helper()
	raw := p.bucket.URL(t)
	bucket.Endpoint(t, raw) // the responses of a cloud's own servers vary from day to day
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	prefix := strings.TrimPrefix(u.Path, "/") + "/"
	rec := &recorder{base: http.DefaultTransport, prefix: prefix}
	b, own, err := p.open(context.Background(), raw, u, rec)
	if err != nil {
		t.Fatal(err)
	}
	for w, ok := own.(store.Wrapper); ok; w, ok = own.(store.Wrapper) {
		own = w.Unwrap()
	}
	b = gcblob.PrefixedBucket(b, prefix)
	return &place{rec, b, blob.New(b), own}
}

func openS3(ctx context.Context, raw string, u *url.URL, rec *recorder) (*gcblob.Bucket, store.Store, error) {
	h, q := &http.Client{Transport: rec}, u.Query()
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion(q.Get("region")), config.WithHTTPClient(h))
	if err != nil {
		return nil, nil, err
	}
	client := awss3.NewFromConfig(cfg, func(o *awss3.Options) {
		o.BaseEndpoint, o.UsePathStyle = aws.String(q.Get("endpoint")), true
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired // otherwise it logs a missing checksum
	})
	b, err := s3blob.OpenBucket(ctx, client, u.Host, nil)
	if err != nil {
		return nil, nil, err
	}
	own, err := s3.Open(ctx, raw, s3.HTTPClient(h))
	return b, own, err
}

func openGCS(ctx context.Context, raw string, u *url.URL, rec *recorder) (*gcblob.Bucket, store.Store, error) {
	h := &http.Client{Transport: rec}
	client, err := gcsapi.NewClient(ctx, apioption.WithEndpoint(u.Query().Get("endpoint")+"/storage/v1/"), apioption.WithHTTPClient(h))
	if err != nil {
		return nil, nil, err
	}
	b, err := gcsblob.OpenBucket(ctx, nil, u.Host, &gcsblob.Options{Client: client})
	if err != nil {
		return nil, nil, err
	}
	own, err := gcs.Open(ctx, strings.Replace(raw, "anonymous=true", "", 1), gcs.HTTPClient(h))
	return b, own, err
}

func openAzure(ctx context.Context, raw string, u *url.URL, rec *recorder) (*gcblob.Bucket, store.Store, error) {
	h, account := &http.Client{Transport: rec}, os.Getenv("AZURE_STORAGE_ACCOUNT")
	key, err := container.NewSharedKeyCredential(account, os.Getenv("AZURE_STORAGE_KEY"))
	if err != nil {
		return nil, nil, err
	}
	client, err := container.NewClientWithSharedKeyCredential("http://"+u.Query().Get("domain")+"/"+account+"/"+u.Host, key,
		&container.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: h}})
	if err != nil {
		return nil, nil, err
	}
	b, err := azureblob.OpenBucket(ctx, client, nil)
	if err != nil {
		return nil, nil, err
	}
	own, err := azure.Open(ctx, raw, azure.HTTPClient(h))
	return b, own, err
}
