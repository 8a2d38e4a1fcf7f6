package gcs

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestReasons checks that the kinds distinguish a missing bucket, a wrong token, a missing
// permission and a full disk, and each error has the ID of the request.
func TestReasons(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	says := func(status int, code string) fake.Answer {
		return fake.Page(status, "application/xml", xmlError(code, "m"), "X-Guploader-Uploadid", "4442587F")
	}
	fake.Reasons(t, f.Answer, open(t, f.At(""), Retry(retry.Tries(1))), []fake.Reason{
		{Name: "bucket", Answer: says(404, "NoSuchBucket"), Kind: fault.NoBucket},
		{Name: "permission", Answer: says(403, "AccessDenied"), Kind: fault.Denied},
		{Name: "full", Answer: says(507, "InsufficientStorage"), Kind: fault.Full},
		{Name: "absent", Answer: says(404, "NoSuchKey"), Kind: fault.NotFound},
		{Name: "page", Answer: fake.Page(200, "text/html", fake.HTML, "X-Guploader-Uploadid", "4442587F"), Kind: fault.Unavailable},
	})
}

// TestAbsentCredentials checks that without available credentials Open fails with
// fault.NoCredentials.
func TestAbsentCredentials(t *testing.T) {
	noEnvironment(t)
	_, err := Open(t.Context(), "gs://bucket")
	if !errors.Is(err, fault.NoCredentials) || !errors.Is(err, fault.Refused) {
		t.Errorf("want no credentials, got %v", err)
	}
}
