package s3

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestCopyConditions checks that conditions are not sent to servers other than AWS, which may
// ignore them.
func TestCopyConditions(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Set("p/a", object{value: []byte("a"), etag: `"a"`})
	s := bare(t, f.At("p"))
	fake.CopyUnsupported(t, f.Server, s, `"a"`)
	if got := f.Header().Get("X-Amz-Copy-Source-If-Match"); got != `"a"` {
		t.Errorf("the copy is pinned to %q", got)
	}
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		Fail(w, 400, "InvalidRequest", "The specified copy source is larger than the maximum allowable size for a copy source: 5368709120")
		return true
	})
	_, err := store.Copy(t.Context(), s, "a", "b", store.CopyOptions{})
	fake.WantKind(t, err, fault.Limit)
}

// TestCopyConditionsOfAWS checks the results of conditions on both objects of a copy. AWS sends the
// same response for a failed condition on either of them.
func TestCopyConditionsOfAWS(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Set("p/a", object{value: []byte("a"), etag: `"a"`})
	f.Set("p/b", object{value: []byte("b"), etag: `"b"`})
	client := awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(f.URL), UsePathStyle: true, Credentials: aws.AnonymousCredentials{},
	})
	b := &bucket{client: client, name: aws.String("zarr-test"), prefix: "p/", aws: true}
	fake.CopyConditions(t, f.Server, `"a"`, `"b"`, b.copy)
}

func TestCopySource(t *testing.T) {
	for _, tt := range []struct{ bucket, prefix, key, want string }{
		{"bucket", "p/", "a b/+%", "bucket/p/a%20b/%2B%25"},
		{"arn:aws:s3:eu-west-1:1:accesspoint/x", "", "k", "arn%3Aaws%3As3%3Aeu-west-1%3A1%3Aaccesspoint/x/object/k"},
	} {
		b := &bucket{name: aws.String(tt.bucket), prefix: tt.prefix}
		if got := b.source(tt.key); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}
