package s3

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"

	"github.com/zargo-io/zargo/zarr/store"
)

// A bucket that gocloud opened keeps versions, conditions and tuning.
func TestFromBucket(t *testing.T) {
	f := NewFake(t)
	client := awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(f.URL), UsePathStyle: true, Credentials: aws.AnonymousCredentials{},
	})
	b, err := s3blob.OpenBucket(t.Context(), client, "zarr-test", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := FromBucket(t.Context(), b, "s3://zarr-test/p", MaxInFlight(9))
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true})
	if err != nil || v == "" {
		t.Error(v, err)
	}
	if _, err := s.Put(t.Context(), "k", []byte("w"), store.PutOptions{IfVersion: v}); err != nil {
		t.Error(err)
	}
	var got *gcblob.Bucket
	if tu := store.TuningOf(s); tu.Requests != 9 || !store.As(s, &got) || got != b || store.Name(s) != "s3://zarr-test/p" {
		t.Errorf("%s: %d requests", store.Name(s), tu.Requests)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.Exists(t.Context(), "k"); err == nil {
		t.Error("the bucket is open after Close")
	}
	var u *UsageError
	if _, err := FromBucket(t.Context(), memblob.OpenBucket(nil), "s3://b"); !errors.As(err, &u) {
		t.Errorf("a bucket in memory: %v", err)
	}
}
