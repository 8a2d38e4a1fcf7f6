package s3

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func document(code string) string {
	return "<Error><Code>" + code + "</Code><Message>says the server</Message></Error>"
}

func documentSaying(code, message string) string {
	return "<Error><Code>" + code + "</Code><Message>" + message + "</Message></Error>"
}

func TestKinds(t *testing.T) { bothWays(t, testKinds) }

func testKinds(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At(""), way)
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   error
		says   string
	}{
		{"absent key", 404, document("NoSuchKey"), fault.NotFound, "NoSuchKey"},
		{"missing bucket", 404, document("NoSuchBucket"), fault.Refused, "bucket does not exist"},
		{"unknown access key of versitygw", 404, document("XAdminUserNotFound"), fault.Refused, "XAdminUserNotFound"},
		{"404 with another code", 404, document("NoSuchUpload"), fault.Unavailable, "NoSuchUpload"},
		{"404 page", 404, fake.HTML, fault.Unavailable, "404"},
		{"404 well-formed page", 404, fake.XHTML, fault.Unavailable, "404"},
		{"404 empty", 404, "", fault.Unavailable, "404"},
		{"NoSuchKey with 403", 403, document("NoSuchKey"), fault.Refused, "403"},
		{"NoSuchKey with 500", 500, document("NoSuchKey"), fault.Unavailable, "500"},
		{"access denied", 403, document("AccessDenied"), fault.Refused, "AccessDenied"},
		{"403 empty", 403, "", fault.Refused, "403"},
		{"401", 401, document("Unauthorized"), fault.Refused, "401"},
		{"wrong secret", 403, document("SignatureDoesNotMatch"), fault.Refused, "SignatureDoesNotMatch"},
		{"unknown access key", 403, document("InvalidAccessKeyId"), fault.Refused, "InvalidAccessKeyId"},
		{"expired token", 400, document("ExpiredToken"), fault.Refused, "ExpiredToken"},
		{"archived", 403, document("InvalidObjectState"), fault.Refused, "restore it first"},
		{"KMS key denied", 403, documentSaying("AccessDenied", "User: arn:aws:iam::1:user/u is not authorized to perform: kms:Decrypt on resource: arn:aws:kms:eu-west-1:1:key/k"),
			fault.Refused, "policies of the key"},
		{"KMS key disabled", 400, document("KMS.DisabledException"), fault.Refused, "state and the policy of the KMS key"},
		{"wrong region", 400, document("AuthorizationHeaderMalformed"), fault.Refused, "region"},
		{"moved", 301, document("PermanentRedirect"), fault.Refused, "region"},
		{"clock", 403, document("RequestTimeTooSkewed"), fault.Refused, "check the clocks"},
		{"slow down", 503, document("SlowDown"), fault.Throttled, "SlowDown"},
		{"service unavailable", 503, document("ServiceUnavailable"), fault.Throttled, "ServiceUnavailable"},
		{"request throttled", 400, document("RequestThrottled"), fault.Throttled, "RequestThrottled"},
		{"429", 429, "", fault.Throttled, "429"},
		{"throttling", 400, document("ThrottlingException"), fault.Throttled, "ThrottlingException"},
		{"503 empty", 503, "", fault.Unavailable, "503"},
		{"500", 500, document("InternalError"), fault.Unavailable, "InternalError"},
		{"502 page", 502, fake.HTML, fault.Unavailable, "502"},
		{"request timeout", 400, document("RequestTimeout"), fault.Unavailable, "RequestTimeout"},
		{"another writer", 409, document("ConditionalRequestConflict"), fault.Unavailable, "ConditionalRequestConflict"},
		{"not a server of that feature", 501, document("NotImplemented"), errors.ErrUnsupported, "NotImplemented"},
		{"portal redirect", 302, "", fault.Unavailable, "302"},
		{"short value", 416, document("InvalidRange"), fault.Corrupt, "InvalidRange"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(fake.Page(c.status, "application/xml", c.body))
			_, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.From(1)}, nil)
			fake.WantKind(t, err, c.want)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `"k"`) ||
				!strings.Contains(err.Error(), "s3://zarr-test") {
				t.Errorf("the message does not name %q, the key and the store: %v", c.says, err)
			}
		})
	}
}

// TestDenied checks that a refusal of a KMS key or an archive is not explained by an absent key or
// the payer, and that an archived value is not a question of permissions.
func TestDenied(t *testing.T) {
	bothWays(t, func(t *testing.T, way Option) {
		credentialsForTests(t)
		f := NewFake(t)
		s := bare(t, f.At(""), way)
		for _, body := range []string{documentSaying("AccessDenied", "not authorized to perform: kms:Decrypt on it"), document("InvalidObjectState")} {
			f.Answer(fake.Page(403, "application/xml", body))
			_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
			if text := fmt.Sprint(err); strings.Contains(text, "absent key") || strings.Contains(text, "requester_pays") {
				t.Error(err)
			}
		}
		if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); errors.Is(err, fault.Denied) {
			t.Error(err)
		}
	})
}

// TestPages checks that the text of a proxy's page is in the error of each verb.
func TestPages(t *testing.T) {
	bothWays(t, func(t *testing.T, way Option) {
		credentialsForTests(t)
		f := NewFake(t)
		fake.Pages(t, f.Answer, bare(t, f.At(""), way), `"1"`, "")
	})
}

// TestMissingBucketEverywhere checks that no method returns fault.NotFound for a missing bucket.
func TestMissingBucketEverywhere(t *testing.T) { bothWays(t, testMissingBucketEverywhere) }

func testMissingBucketEverywhere(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, strings.Replace(f.At(""), "zarr-test", "absent-bucket", 1), way)
	for verb, err := range fake.Verbs(t.Context(), s, `"1"`) {
		fake.WantKind(t, err, fault.Refused)
		if !strings.Contains(fmt.Sprint(err), "does not exist") {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

// TestForeignSuccess checks that a captive portal that responds with 200 does not look like an
// empty bucket.
func TestForeignSuccess(t *testing.T) { bothWays(t, testForeignSuccess) }

func testForeignSuccess(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At(""), way)
	for name, body := range map[string]string{"page": fake.HTML, "well-formed page": fake.XHTML, "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			f.Answer(fake.Page(200, "text/html", body))
			for verb, err := range fake.Verbs(t.Context(), s, `"1"`) {
				t.Run(verb, func(t *testing.T) { fake.WantKind(t, err, fault.Unavailable) })
			}
		})
	}
}

func TestProviderErrorStaysReachable(t *testing.T) { bothWays(t, testProviderErrorStaysReachable) }

func testProviderErrorStaysReachable(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Answer(fake.Page(503, "application/xml", document("SlowDown"), "Retry-After", "7"))
	_, err := bare(t, f.At(""), way).Get(t.Context(), "k", store.GetOptions{}, nil)
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "SlowDown" {
		t.Errorf("the SDK's error cannot be reached in %v", err)
	}
	var wait interface{ RetryAfter() time.Duration }
	if !errors.As(err, &wait) || wait.RetryAfter() != 7*time.Second {
		t.Errorf("the server's 7 s cannot be reached in %v", err)
	}
}

func TestRegionHint(t *testing.T) { bothWays(t, testRegionHint) }

func testRegionHint(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Answer(fake.Page(301, "application/xml", document("PermanentRedirect"), "X-Amz-Bucket-Region", "eu-central-1"))
	_, err := bare(t, f.At(""), way).Get(t.Context(), "k", store.GetOptions{}, nil)
	if !errors.Is(err, fault.Refused) || !strings.Contains(err.Error(), "region=eu-central-1") {
		t.Errorf("got %v", err)
	}
}

func TestNoCredentials(t *testing.T) { bothWays(t, testNoCredentials) }

func testNoCredentials(t *testing.T, way Option) {
	credentialsForTests(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	f := NewFake(t)
	_, err := bare(t, f.At(""), way).Get(t.Context(), "k", store.GetOptions{}, nil)
	fake.WantKind(t, err, fault.Refused)
	if !strings.Contains(fmt.Sprint(err), "AWS_ACCESS_KEY_ID") || !strings.Contains(fmt.Sprint(err), "anonymous=true") {
		t.Errorf("the message does not say what to do: %v", err)
	}
	if n := len(f.Requests()); n != 0 {
		t.Errorf("%d requests without credentials", n)
	}
	_, err = bare(t, f.At(""), Anonymous(), way).Get(t.Context(), "k", store.GetOptions{}, nil)
	fake.WantKind(t, err, fault.NotFound)
	if a := f.Header().Get("Authorization"); a != "" {
		t.Errorf("an anonymous request is signed: %s", a)
	}
}

// TestPinnedNeverNotFound checks that if a read requires a version, a deleted or replaced value is
// a conflict, even if the server ignores the condition.
func TestPinnedNeverNotFound(t *testing.T) { bothWays(t, testPinnedNeverNotFound) }

func testPinnedNeverNotFound(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At(""), way)
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"gone":     fake.Page(404, "application/xml", document("NoSuchKey")),
		"replaced": fake.Page(412, "application/xml", document("PreconditionFailed")),
		"ignored":  fake.Page(200, "", "other", "ETag", `"other"`),
	} {
		t.Run(name, func(t *testing.T) {
			f.Answer(answer)
			_, err := s.Get(t.Context(), "k", store.GetOptions{IfVersion: `"mine"`}, nil)
			fake.WantKind(t, err, fault.Conflict)
			if got := f.Header().Get("If-Match"); got != `"mine"` {
				t.Errorf("If-Match is %q", got)
			}
		})
	}
}

// TestEndlessErrorDocument checks that an endless error document does not fill the memory: the
// client closes the connection early.
func TestEndlessErrorDocument(t *testing.T) { bothWays(t, testEndlessErrorDocument) }

func testEndlessErrorDocument(t *testing.T, way Option) {
	credentialsForTests(t)
	f := NewFake(t)
	blocks := make(chan int, 1)
	f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(403)
		blocks <- endless(w, strings.Repeat("x", 1<<20))
		return true
	})
	_, err := bare(t, f.At(""), way).Get(t.Context(), "k", store.GetOptions{}, nil)
	fake.WantKind(t, err, fault.Refused)
	if n := <-blocks; n == endlessBlocks {
		t.Errorf("the client read all of %d MiB", n)
	}
}

const endlessBlocks = 128 // of 1 MiB: far more than the limits and the buffers of sockets

// endless writes block until the client closes the connection, and returns the number of writes.
func endless(w io.Writer, block string) (n int) {
	for n < endlessBlocks {
		if _, err := io.WriteString(w, block); err != nil {
			break
		}
		n++
	}
	return n
}
