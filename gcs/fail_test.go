package gcs

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestPages checks that the text of a proxy's page is in the error of each verb.
func TestPages(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	fake.Pages(t, f.Answer, bare(t, f.At("")), "1", "")
}

func TestKinds(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   error
		says   string
	}{
		{"absent key", 404, xmlError("NoSuchKey", "m"), fault.NotFound, "NoSuchKey"},
		{"absent key, JSON", 404, jsonError(404, "notFound", "No such object: zarr-test/k"), fault.NotFound, "No such object"},
		{"missing bucket", 404, xmlError("NoSuchBucket", "m"), fault.Refused, "bucket does not exist"},
		{"missing bucket, JSON", 404, jsonError(404, "notFound", "The specified bucket does not exist."), fault.Refused, "bucket does not exist"},
		{"404 page", 404, fake.HTML, fault.Unavailable, "404"},
		{"404 well-formed page", 404, fake.XHTML, fault.Unavailable, "404"},
		{"404 empty", 404, "", fault.Unavailable, "404"},
		{"NoSuchKey with 403", 403, xmlError("NoSuchKey", "m"), fault.Refused, "403"},
		{"NoSuchKey with 500", 500, xmlError("NoSuchKey", "m"), fault.Unavailable, "500"},
		{"access denied", 403, xmlError("AccessDenied", "m"), fault.Refused, "AccessDenied"},
		{"403 empty", 403, "", fault.Refused, "403"},
		{"401", 401, xmlError("AuthenticationRequired", "m"), fault.Refused, "401"},
		{"requester pays", 400, xmlError("UserProjectMissing", "Bucket is a requester pays bucket but no user project provided."), fault.Refused, "user_project"},
		{"customer key", 400, xmlError("ResourceIsEncryptedWithCustomerEncryptionKey", "m"), fault.Refused, "EncryptionKey"},
		{"KMS key denied", 403, xmlError("AccessDenied", "Permission denied on Cloud KMS key. Please ensure that your Cloud Storage service account has been authorized to use this key."),
			fault.Refused, "service agent"},
		{"KMS key disabled", 400, xmlError("InvalidArgument", "Cloud KMS key is disabled"), fault.Refused, "state of the Cloud KMS key"},
		{"429", 429, xmlError("SlowDown", "m"), fault.Throttled, "429"},
		{"429 empty", 429, "", fault.Throttled, "429"},
		{"slow down", 503, xmlError("SlowDown", "m"), fault.Throttled, "SlowDown"},
		{"rate limit with 403", 403, jsonError(403, "rateLimitExceeded", "m"), fault.Throttled, "rateLimitExceeded"},
		{"service unavailable", 503, xmlError("ServiceUnavailable", "m"), fault.Throttled, "ServiceUnavailable"},
		{"503 empty", 503, "", fault.Unavailable, "503"},
		{"500", 500, xmlError("InternalError", "m"), fault.Unavailable, "InternalError"},
		{"502 page", 502, fake.HTML, fault.Unavailable, "502"},
		{"408", 408, xmlError("RequestTimeout", "m"), fault.Unavailable, "408"},
		{"409", 409, jsonError(409, "conflict", "m"), fault.Unavailable, "409"},
		{"501", 501, xmlError("NotImplemented", "m"), errors.ErrUnsupported, "501"},
		{"portal redirect", 302, "", fault.Unavailable, "302"},
		{"short value", 416, xmlError("InvalidRange", "m"), fault.Corrupt, "InvalidRange"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(fake.Page(c.status, "application/xml", c.body))
			_, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.From(1)}, nil)
			wantKind(t, err, c.want)
			for _, says := range []string{c.says, `"k"`, "gs://zarr-test"} {
				if !strings.Contains(fmt.Sprint(err), says) {
					t.Errorf("the message does not contain %q: %v", says, err)
				}
			}
			var api *googleapi.Error
			if !errors.As(err, &api) || api.Code != c.status {
				t.Errorf("the SDK's error cannot be reached: %#v", api)
			}
		})
	}
}

// TestUnclear404 checks reads with the response of emulators, a 404 that names neither object nor
// bucket. Only a successful listing without the key proves absence.
func TestUnclear404(t *testing.T) {
	noEnvironment(t)
	plain := fake.Page(404, "text/plain", "Not Found\n")
	for _, c := range []struct {
		name string
		list fake.Answer
		want error
	}{
		{"not listed", fake.Page(200, "application/json", "{}"), fault.NotFound},
		{"a longer key is listed", fake.Page(200, "application/json", `{"items":[{"name":"kk","generation":"5"}]}`), fault.NotFound},
		{"listed", fake.Page(200, "application/json", `{"items":[{"name":"k","generation":"5"}]}`), fault.Unavailable},
		{"no bucket", fake.Page(404, "application/json", jsonError(404, "notFound", "The specified bucket does not exist.")), fault.Refused},
		{"no bucket, emulator", fake.Page(404, "application/json", jsonError(404, "notFound", "Not Found")), fault.Refused},
		{"no bucket, page", plain, fault.Unavailable},
		{"list refused", fake.Page(403, "application/json", jsonError(403, "forbidden", "m")), fault.Refused},
		{"list fails", fake.Page(500, "", ""), fault.Unavailable},
		{"list is a page", fake.Page(200, "text/html", fake.HTML), fault.Unavailable},
		{"list is empty", fake.Page(200, "", ""), fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFake(t)
			f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, "/o") {
					return c.list(w, r)
				}
				return plain(w, r)
			})
			s := bare(t, f.At(""))
			_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
			wantKind(t, err, c.want)
			if c.want == error(fault.NotFound) {
				_, err = s.Get(t.Context(), "k", store.GetOptions{IfVersion: "5"}, nil)
				wantKind(t, err, fault.Conflict)
				if err := s.Delete(t.Context(), "k", store.DeleteOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestMissingBucketEverywhere checks that no method returns fault.NotFound for a missing bucket,
// for which the SDK also returns ErrObjectNotExist. Chunks of a missing bucket must not read as
// fill values.
func TestMissingBucketEverywhere(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, strings.Replace(f.At(""), "zarr-test", "absent-bucket", 1))
	for verb, err := range fake.Verbs(t.Context(), s, "5") {
		t.Run(verb, func(t *testing.T) {
			wantKind(t, err, fault.Refused)
			if !strings.Contains(fmt.Sprint(err), "does not exist") {
				t.Error(err)
			}
		})
	}
}

// TestForeignSuccess checks that a captive portal that responds with 200 or redirects does not look
// like an empty bucket.
func TestForeignSuccess(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	portal := NewFake(t)
	portal.Answer(fake.Page(200, "text/html", fake.HTML))
	s := bare(t, f.At(""))
	for _, c := range []struct {
		name   string
		answer fake.Answer
	}{
		{"page", fake.Page(200, "text/html", fake.HTML)},
		{"well-formed page", fake.Page(200, "text/html", fake.XHTML)},
		{"nothing", fake.Page(200, "", "")},
		{"redirect", fake.Page(302, "text/html", fake.HTML, "Location", portal.URL)},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(c.answer)
			for verb, err := range fake.Verbs(t.Context(), s, "5") {
				t.Run(verb, func(t *testing.T) { wantKind(t, err, fault.Unavailable) })
			}
		})
	}
	if n := len(portal.Requests()); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// TestOneAttempt checks that the SDK's retries are disabled, so that every failed call is one
// request.
func TestOneAttempt(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Answer(fake.Page(503, "", ""))
	s := bare(t, f.At(""))
	all := fake.Verbs(t.Context(), s, "5")
	if n := len(f.Requests()); n != len(all) {
		t.Errorf("%d requests for %d verbs", n, len(all))
	}
	for verb, err := range all {
		t.Run(verb, func(t *testing.T) { wantKind(t, err, fault.Unavailable) })
	}
}

func wantKind(t *testing.T, err, want error) {
	t.Helper()
	fake.WantKind(t, err, want)
	if errors.Is(err, unclear) {
		t.Errorf("a kind of this package's own: %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Answer(fake.Page(429, "application/xml", xmlError("SlowDown", "m"), "Retry-After", "7"))
	_, err := bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	var wait interface{ RetryAfter() time.Duration }
	if !errors.As(err, &wait) || wait.RetryAfter() != 7*time.Second {
		t.Errorf("the server's 7 s cannot be reached in %v", err)
	}
}

// TestPinnedNeverNotFound checks that if a read requires a version, a deleted or replaced value is
// a conflict, even if the server ignores the condition.
func TestPinnedNeverNotFound(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for _, c := range []struct {
		name   string
		answer fake.Answer
	}{
		{"gone", fake.Page(404, "application/xml", xmlError("NoSuchKey", "m"))},
		{"replaced", fake.Page(412, "application/xml", xmlError("PreconditionFailed", "m"))},
		{"ignored", fake.Page(200, "", "other", "X-Goog-Generation", "6")},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(c.answer)
			_, err := s.Get(t.Context(), "k", store.GetOptions{IfVersion: "5"}, nil)
			wantKind(t, err, fault.Conflict)
			if got := f.Header().Get("X-Goog-If-Generation-Match"); got != "5" {
				t.Errorf("the condition is %q", got)
			}
			for _, line := range f.Requests() {
				if strings.Contains(line, "generation=") {
					t.Errorf("an old generation was asked for: %s", line)
				}
			}
		})
	}
	for _, v := range []store.Version{"x", "0", "-1", "007", `"etag"`, "99999999999999999999"} {
		_, err := s.Get(t.Context(), "k", store.GetOptions{IfVersion: v}, nil)
		wantKind(t, err, fault.Conflict)
		_, err = s.Put(t.Context(), "k", nil, store.PutOptions{IfVersion: v})
		wantKind(t, err, fault.Conflict)
		wantKind(t, s.Delete(t.Context(), "k", store.DeleteOptions{IfVersion: v}), fault.Conflict)
	}
}

// TestEndlessDocuments checks that an endless error document or listing does not fill the memory:
// the client closes the connection early.
func TestEndlessDocuments(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for _, c := range []struct {
		name   string
		status int
		begin  string
		want   error
	}{
		{"error", 403, "", fault.Refused},
		{"listing", 200, `{"items":[{"name":"`, fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			const blocks = 256 // of 1 MiB
			sent := make(chan int, 1)
			f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.begin)
				n := 0
				for n < blocks {
					if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
						break
					}
					n++
				}
				sent <- n
				return true
			})
			wantKind(t, fake.ListError(t.Context(), s, store.Deep), c.want)
			if n := <-sent; n == blocks {
				t.Errorf("the client read all of %d MiB", n)
			}
		})
	}
}

func FuzzDocument(f *testing.F) {
	for _, s := range []string{xmlError("NoSuchKey", "m"), jsonError(404, "notFound", "No such object: b/k"), fake.HTML, fake.XHTML, "", "null", `{"error":"x"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d := parseDocument(b)
		if !d.ours && (d.noObject() || d.noBucket()) {
			t.Errorf("%q is not from GCS and proves %+v", b, d)
		}
		if k := kindOf(404, document{}, false); k != error(unclear) {
			t.Errorf("a 404 without a document is %v", k)
		}
	})
}
