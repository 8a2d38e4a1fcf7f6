package gocloud

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	gcsapi "cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/s3blob"
	apioption "google.golang.org/api/option"
)

// canned sends the same response to every request, and records the last request.
type canned struct {
	status int
	header string // "Name: value", one per line
	body   string
	asked  *http.Request
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked = r
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	h := http.Header{}
	for line := range strings.Lines(c.header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		h.Set(name, value)
	}
	return &http.Response{
		StatusCode: c.status, Status: http.StatusText(c.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h,
		ContentLength: int64(len(c.body)), Body: io.NopCloser(bytes.NewReader([]byte(c.body))), Request: r,
	}, nil
}

func s3On(t *testing.T, c *canned) *gcblob.Bucket {
	t.Helper()
	client := awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://127.0.0.1:1"), UsePathStyle: true, RetryMaxAttempts: 1,
		HTTPClient: &http.Client{Transport: c}, ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	})
	b, err := s3blob.OpenBucket(t.Context(), client, "bucket", nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func gcsOn(t *testing.T, c *canned) *gcblob.Bucket {
	t.Helper()
	client, err := gcsapi.NewClient(t.Context(), apioption.WithEndpoint("http://127.0.0.1:1/storage/v1/"),
		apioption.WithHTTPClient(&http.Client{Transport: c}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := gcsblob.OpenBucket(t.Context(), nil, "bucket", &gcsblob.Options{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func azureOn(t *testing.T, c *canned) *gcblob.Bucket {
	t.Helper()
	client, err := container.NewClientWithNoCredential("http://127.0.0.1:1/account/bucket",
		&container.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: &http.Client{Transport: c}}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := azureblob.OpenBucket(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// panicked runs a call and returns its panic as text, or "".
func panicked(call func() error) (how string) {
	defer func() {
		if p := recover(); p != nil {
			how = fmt.Sprint(p)
		}
	}()
	_ = call()
	return ""
}

// firstPage returns one page of a listing.
func firstPage(t *testing.T, b *gcblob.Bucket) ([]*gcblob.ListObject, error) {
	t.Helper()
	objects, _, err := b.ListPage(t.Context(), gcblob.FirstPageToken, 10, nil)
	return objects, err
}

// TestTraps tests the defects because of which a method bypasses the portable call; see
// docs/providers.md. If a defect is fixed, the test fails, and the decision must be reviewed.
func TestTraps(t *testing.T) {
	read := func(t *testing.T, b *gcblob.Bucket, key string) func() error {
		return func() error {
			r, err := b.NewRangeReader(t.Context(), key, 0, -1, nil)
			if err != nil {
				return err
			}
			return r.Close()
		}
	}
	list := func(t *testing.T, b *gcblob.Bucket) func() error {
		return func() error { _, err := firstPage(t, b); return err }
	}
	t.Run("s3 takes a page of HTML for an empty listing", func(t *testing.T) {
		c := &canned{status: 200, body: "<html><head><title>Sign in</title></head><body/></html>"}
		if objects, err := firstPage(t, s3On(t, c)); err != nil || len(objects) > 0 {
			t.Errorf("%d, %v", len(objects), err)
		}
	})
	t.Run("s3 panics when a listing has no date", func(t *testing.T) {
		c := &canned{status: 200, body: "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>k</Key></Contents></ListBucketResult>"}
		if panicked(list(t, s3On(t, c))) == "" {
			t.Error("it does not")
		}
	})
	t.Run("a writer does not say which version it made", func(t *testing.T) {
		c := &canned{status: 200, header: `ETag: "one"`}
		w, err := s3On(t, c).NewWriter(t.Context(), "k", &gcblob.WriterOptions{ContentType: "a/b"})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := any(w).(interface{ As(any) bool }); ok {
			t.Error("a writer has As")
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("azure panics when a value has no date", func(t *testing.T) {
		if panicked(read(t, azureOn(t, &canned{status: 200, header: `ETag: "one"`, body: "value"}), "k")) == "" {
			t.Error("it does not")
		}
	})
	t.Run("azure panics at a page that is no listing", func(t *testing.T) {
		if panicked(list(t, azureOn(t, &canned{status: 200, header: "Content-Type: application/xml", body: "<html/>"}))) == "" {
			t.Error("it does not")
		}
	})
	t.Run("azure stores some keys under another name", func(t *testing.T) {
		c := &canned{status: 404, header: "X-Ms-Error-Code: BlobNotFound"}
		if err := read(t, azureOn(t, c), "100%/c")(); err == nil || !strings.Contains(c.asked.URL.Path, "100__0x25__/c") {
			t.Errorf("%s, %v", c.asked.URL.Path, err)
		}
	})
	t.Run("a tail has no portable call", func(t *testing.T) {
		for _, b := range []*gcblob.Bucket{s3On(t, &canned{}), gcsOn(t, &canned{}), azureOn(t, &canned{})} {
			if _, err := b.NewRangeReader(t.Context(), "k", -4, -1, nil); err == nil {
				t.Error("there is one")
			}
		}
	})
	t.Run("the handle that gcs lists through cannot be replaced", func(t *testing.T) {
		var found bool
		c := &canned{status: 200, header: "Content-Type: application/json", body: "{}"}
		_, _, err := gcsOn(t, c).ListPage(t.Context(), gcblob.FirstPageToken, 10, &gcblob.ListOptions{BeforeList: func(as func(any) bool) error {
			var b *gcsapi.BucketHandle
			var p **gcsapi.BucketHandle
			found = as(&b) || as(&p)
			return nil
		}})
		if err != nil || found {
			t.Errorf("%v, %v", found, err)
		}
	})
	t.Run("gcs calls a refusal absent", func(t *testing.T) {
		c := &canned{status: 403, header: "Content-Type: application/json", body: `{"error":{"code":403,"message":"no","errors":[{"reason":"forbidden"}]}}`}
		err := gcsOn(t, c).Delete(t.Context(), "k")
		var coded interface{ Unwrap() []error }
		if !errors.As(err, &coded) || !strings.Contains(err.Error(), "NotFound") {
			t.Errorf("%v", err)
		}
	})
}
