package gcs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// page answers everything the same way.
func page(status int, ctype, body string, header ...string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", ctype)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

const html = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><p>Welcome<br>to the hotel</body></html>"
const xhtml = "<html><head><title>Not here</title></head><body/></html>"

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
		{"404 page", 404, html, fault.Unavailable, "404"},
		{"404 well-formed page", 404, xhtml, fault.Unavailable, "404"},
		{"404 empty", 404, "", fault.Unavailable, "404"},
		{"NoSuchKey with 403", 403, xmlError("NoSuchKey", "m"), fault.Refused, "403"},
		{"NoSuchKey with 500", 500, xmlError("NoSuchKey", "m"), fault.Unavailable, "500"},
		{"access denied", 403, xmlError("AccessDenied", "m"), fault.Refused, "AccessDenied"},
		{"403 empty", 403, "", fault.Refused, "403"},
		{"401", 401, xmlError("AuthenticationRequired", "m"), fault.Refused, "401"},
		{"requester pays", 400, xmlError("UserProjectMissing", "Bucket is a requester pays bucket but no user project provided."), fault.Refused, "user_project"},
		{"customer key", 400, xmlError("ResourceIsEncryptedWithCustomerEncryptionKey", "m"), fault.Refused, "EncryptionKey"},
		{"429", 429, xmlError("SlowDown", "m"), fault.Throttled, "429"},
		{"429 empty", 429, "", fault.Throttled, "429"},
		{"slow down", 503, xmlError("SlowDown", "m"), fault.Throttled, "SlowDown"},
		{"rate limit with 403", 403, jsonError(403, "rateLimitExceeded", "m"), fault.Throttled, "rateLimitExceeded"},
		{"503 empty", 503, "", fault.Unavailable, "503"},
		{"500", 500, xmlError("InternalError", "m"), fault.Unavailable, "InternalError"},
		{"502 page", 502, html, fault.Unavailable, "502"},
		{"408", 408, xmlError("RequestTimeout", "m"), fault.Unavailable, "408"},
		{"409", 409, jsonError(409, "conflict", "m"), fault.Unavailable, "409"},
		{"501", 501, xmlError("NotImplemented", "m"), errors.ErrUnsupported, "501"},
		{"portal redirect", 302, "", fault.Unavailable, "302"},
		{"short value", 416, xmlError("InvalidRange", "m"), fault.Corrupt, "InvalidRange"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(page(c.status, "application/xml", c.body))
			_, err := s.Get(t.Context(), "k", store.GetOptions{Range: store.From(1)}, nil)
			wantKind(t, err, c.want)
			for _, says := range []string{c.says, `"k"`, "gs://zarr-test"} {
				if !strings.Contains(fmt.Sprint(err), says) {
					t.Errorf("the message does not hold %q: %v", says, err)
				}
			}
			var api *googleapi.Error
			if !errors.As(err, &api) || api.Code != c.status {
				t.Errorf("the SDK's error cannot be reached: %#v", api)
			}
		})
	}
}

// Emulators answer 404 without saying of what. Only a listing that works and does not hold the key proves absence.
func TestUnclear404(t *testing.T) {
	noEnvironment(t)
	plain := page(404, "text/plain", "Not Found\n")
	for _, c := range []struct {
		name string
		list func(http.ResponseWriter, *http.Request) bool
		want error
	}{
		{"not listed", page(200, "application/json", "{}"), fault.NotFound},
		{"a longer key is listed", page(200, "application/json", `{"items":[{"name":"kk","generation":"5"}]}`), fault.NotFound},
		{"listed", page(200, "application/json", `{"items":[{"name":"k","generation":"5"}]}`), fault.Unavailable},
		{"no bucket", page(404, "application/json", jsonError(404, "notFound", "The specified bucket does not exist.")), fault.Refused},
		{"no bucket, emulator", page(404, "application/json", jsonError(404, "notFound", "Not Found")), fault.Refused},
		{"no bucket, page", plain, fault.Unavailable},
		{"list refused", page(403, "application/json", jsonError(403, "forbidden", "m")), fault.Refused},
		{"list fails", page(500, "", ""), fault.Unavailable},
		{"list is a page", page(200, "text/html", html), fault.Unavailable},
		{"list is empty", page(200, "", ""), fault.Unavailable},
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

// The SDK says ErrObjectNotExist for a missing bucket too; chunks of one must not read as fill values.
func TestMissingBucketEverywhere(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, strings.Replace(f.At(""), "zarr-test", "absent-bucket", 1))
	for verb, err := range everyVerb(t.Context(), s) {
		t.Run(verb, func(t *testing.T) {
			wantKind(t, err, fault.Refused)
			if !strings.Contains(fmt.Sprint(err), "does not exist") {
				t.Error(err)
			}
		})
	}
}

// A portal that answers everything with 200, or sends elsewhere, must not look like GCS with nothing in it.
func TestForeignSuccess(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	portal := NewFake(t)
	portal.Answer(page(200, "text/html", html))
	s := bare(t, f.At(""))
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request) bool
	}{
		{"page", page(200, "text/html", html)},
		{"well-formed page", page(200, "text/html", xhtml)},
		{"nothing", page(200, "", "")},
		{"redirect", page(302, "text/html", html, "Location", portal.URL)},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(c.answer)
			for verb, err := range everyVerb(t.Context(), s) {
				t.Run(verb, func(t *testing.T) { wantKind(t, err, fault.Unavailable) })
			}
		})
	}
	if n := len(portal.Requests()); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// SDK retries are off: every failed verb is one request, and takes no backoff.
func TestOneAttempt(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Answer(page(503, "", ""))
	s := bare(t, f.At(""))
	began := time.Now()
	all := everyVerb(t.Context(), s)
	if n := len(f.Requests()); n != len(all) || time.Since(began) > 5*time.Second {
		t.Errorf("%d requests for %d verbs in %v", n, len(all), time.Since(began))
	}
	for verb, err := range all {
		t.Run(verb, func(t *testing.T) { wantKind(t, err, fault.Unavailable) })
	}
}

func everyVerb(ctx context.Context, s store.Store) map[string]error {
	all := map[string]error{}
	_, all["get"] = s.Get(ctx, "k", store.GetOptions{}, nil)
	_, all["get last"] = s.Get(ctx, "k", store.GetOptions{Range: store.Last(4)}, nil)
	_, all["put"] = s.Put(ctx, "k", []byte("v"), store.PutOptions{})
	_, all["put if absent"] = s.Put(ctx, "k", []byte("v"), store.PutOptions{IfAbsent: true})
	all["delete"] = s.Delete(ctx, "k", store.DeleteOptions{})
	all["list"] = listError(ctx, s, store.Deep)
	all["list level"] = listError(ctx, s, store.OneLevel)
	return all
}

func listError(ctx context.Context, s store.Store, d store.Depth) (last error) {
	for _, err := range s.List(ctx, "", d) {
		last = err
	}
	return last
}

func wantKind(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	for _, k := range []error{
		fault.NotFound, fault.Exists, fault.Conflict, fault.Unchanged, fault.Path, fault.Corrupt, fault.Refused,
		fault.Throttled, fault.Unavailable, fault.Limit, fault.Selection, errors.ErrUnsupported, unclear,
	} {
		if k != want && errors.Is(err, k) {
			t.Errorf("got %v as well: %v", k, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	f.Answer(page(429, "application/xml", xmlError("SlowDown", "m"), "Retry-After", "7"))
	_, err := bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	var wait interface{ RetryAfter() time.Duration }
	if !errors.As(err, &wait) || wait.RetryAfter() != 7*time.Second {
		t.Errorf("the server's 7 s cannot be reached in %v", err)
	}
}

func TestNotReached(t *testing.T) {
	noEnvironment(t)
	f, stop := StartFake()
	s := bare(t, f.At(""))
	stop()
	for verb, err := range everyVerb(t.Context(), s) {
		t.Run(verb, func(t *testing.T) { wantKind(t, err, fault.Unavailable) })
	}
	for verb, err := range everyVerb(t.Context(), bare(t, "gs://b?endpoint=http://no-such-host.invalid")) {
		t.Run("DNS "+verb, func(t *testing.T) { wantKind(t, err, fault.Unavailable) })
	}
}

// With a version pinned, a deleted or replaced value is a conflict, and so is one that a server forgot to check.
func TestPinnedNeverNotFound(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request) bool
	}{
		{"gone", page(404, "application/xml", xmlError("NoSuchKey", "m"))},
		{"replaced", page(412, "application/xml", xmlError("PreconditionFailed", "m"))},
		{"ignored", page(200, "", "other", "X-Goog-Generation", "6")},
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

// An error document, or a listing, without end must not fill the memory: the client hangs up early.
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
			wantKind(t, listError(t.Context(), s, store.Deep), c.want)
			if n := <-sent; n == blocks {
				t.Errorf("the client read all of %d MiB", n)
			}
		})
	}
}

func FuzzDocument(f *testing.F) {
	for _, s := range []string{xmlError("NoSuchKey", "m"), jsonError(404, "notFound", "No such object: b/k"), html, xhtml, "", "null", `{"error":"x"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d := parseDocument(b)
		if !d.ours && (d.noObject() || d.noBucket()) {
			t.Errorf("%q is not GCS's and proves %+v", b, d)
		}
		if k := kindOf(404, document{}, false); k != error(unclear) {
			t.Errorf("a 404 without a document is %v", k)
		}
	})
}
