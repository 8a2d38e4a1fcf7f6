package s3

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestReasons checks that the kinds distinguish a missing bucket, a wrong secret, a missing
// permission and a full disk, and each error has the ID of the request.
func TestReasons(t *testing.T) {
	bothWays(t, func(t *testing.T, way Option) {
		credentialsForTests(t)
		f := NewFake(t)
		says := func(status int, code string) fake.Answer {
			return fake.Page(status, "application/xml", document(code), "X-Amz-Request-Id", "4442587F")
		}
		fake.Reasons(t, f.Answer, open(t, f.At(""), way, Retry(retry.Tries(1))), []fake.Reason{
			{Name: "bucket", Answer: says(404, "NoSuchBucket"), Kind: fault.NoBucket},
			{Name: "secret", Answer: says(403, "SignatureDoesNotMatch"), Kind: fault.Unauthenticated},
			{Name: "access key", Answer: says(403, "InvalidAccessKeyId"), Kind: fault.Unauthenticated},
			{Name: "token", Answer: says(400, "ExpiredToken"), Kind: fault.Unauthenticated},
			{Name: "permission", Answer: says(403, "AccessDenied"), Kind: fault.Denied},
			{Name: "region", Answer: says(400, "AuthorizationHeaderMalformed"), Kind: fault.Refused},
			{Name: "full", Answer: says(507, "XMinioStorageFull"), Kind: fault.Full},
			{Name: "quota", Answer: says(403, "QuotaExceeded"), Kind: fault.Full},
			{Name: "absent", Answer: says(404, "NoSuchKey"), Kind: fault.NotFound},
			{Name: "page", Answer: fake.Page(200, "text/html", fake.HTML, "X-Amz-Request-Id", "4442587F"), Kind: fault.Unavailable},
		})
	})
}

// TestAbsentCredentials checks that without configured credentials no request is sent, and the kind
// is fault.NoCredentials.
func TestAbsentCredentials(t *testing.T) {
	bothWays(t, func(t *testing.T, way Option) {
		credentialsForTests(t)
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
		_, err := bare(t, NewFake(t).At(""), way).Get(t.Context(), "k", store.GetOptions{}, nil)
		if !errors.Is(err, fault.NoCredentials) || errors.Is(err, fault.Unauthenticated) {
			t.Errorf("want no credentials, got %v", err)
		}
	})
}
