package azure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// verbs calls every verb and gives its error.
func verbs(ctx context.Context, s store.Store) map[string]error {
	errs := map[string]error{}
	_, errs["get"] = s.Get(ctx, "k", store.GetOptions{}, nil)
	_, errs["get last"] = s.Get(ctx, "k", store.GetOptions{Range: store.Last(4)}, nil)
	_, errs["get within"] = s.Get(ctx, "k", store.GetOptions{Range: store.Within(1, 2)}, nil)
	_, errs["put"] = s.Put(ctx, "k", []byte("v"), store.PutOptions{})
	_, errs["put if absent"] = s.Put(ctx, "k", []byte("v"), store.PutOptions{IfAbsent: true})
	_, errs["put if version"] = s.Put(ctx, "k", []byte("v"), store.PutOptions{IfVersion: `"1"`})
	errs["delete"] = s.Delete(ctx, "k", store.DeleteOptions{})
	for depth, name := range map[store.Depth]string{store.Deep: "list", store.OneLevel: "list level"} {
		errs[name] = errors.New("an empty listing")
		for _, err := range s.List(ctx, "", depth) {
			errs[name] = err
		}
	}
	if p, err := store.PutParts(ctx, s, "k"); err != nil {
		errs["parts"] = err
	} else {
		errs["part"] = p.Part(ctx, 0, []byte("v"))
		q, _ := store.PutParts(ctx, s, "k")
		_, errs["commit"] = q.Commit(ctx, store.PutOptions{})
	}
	return errs
}

// The same failure is of the same kind for every verb, whatever gocloud would say: it calls half of these NotFound.
func TestFailures(t *testing.T) {
	environment(t)
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		kind   error
		says   string
	}{
		{"container missing", azureSays(404, "ContainerNotFound"), fault.Refused, "ContainerNotFound"},
		{"private container", azureSays(404, "ResourceNotFound"), fault.Refused, "private"},
		{"container being deleted", azureSays(409, "ContainerBeingDeleted"), fault.Refused, "ContainerBeingDeleted"},
		{"wrong key", azureSays(403, "AuthenticationFailed"), fault.Refused, "the message"},
		{"no role", azureSays(403, "AuthorizationPermissionMismatch"), fault.Refused, "Storage Blob Data"},
		{"firewall", azureSays(403, "AuthorizationFailure"), fault.Refused, ""},
		{"no credentials", azureSays(401, "NoAuthenticationInformation"), fault.Refused, ""},
		{"public access off", azureSays(409, "PublicAccessNotPermitted"), fault.Refused, ""},
		{"leased", azureSays(412, "LeaseIdMissing"), fault.Refused, "LeaseIdMissing"},
		{"leased by another", azureSays(409, "LeaseIdMismatchWithBlobOperation"), fault.Refused, ""},
		{"archived", azureSays(409, "BlobArchived"), fault.Refused, "rehydrate"},
		{"unknown 404", azureSays(404, "SomethingNew"), fault.Refused, ""},
		{"throttled", azureSays(503, "ServerBusy"), fault.Throttled, "ServerBusy"},
		{"throttled by 429", azureSays(429, "TooManyRequests"), fault.Throttled, ""},
		{"timed out", azureSays(500, "OperationTimedOut"), fault.Unavailable, ""},
		{"internal error", azureSays(500, "InternalError"), fault.Unavailable, ""},
		{"503 of a proxy", page(503, "text/html", "<html>bad"), fault.Unavailable, "not in Azure's form"},
		{"404 of a proxy", page(404, "text/html", "<html>not here"), fault.Unavailable, "not in Azure's form"},
		{"404 of a page about it", page(404, "text/html", "<html><code>BlobNotFound</code>"), fault.Unavailable, ""},
		{"empty 404", page(404, "", ""), fault.Unavailable, ""},
		{"HTML with 200", page(200, "text/html", "<html><body>Please log in</body></html>"), fault.Unavailable, ""},
		{"empty 200", page(200, "", ""), fault.Unavailable, ""},
		{"a portal's redirect", redirect, fault.Unavailable, ""},
		{"endless error", endless, fault.Unavailable, ""},
		{"connection cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Unavailable, "no answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFake(t)
			f.Answer(func(w http.ResponseWriter, r *http.Request) bool { c.answer(w, r); return true })
			for verb, err := range verbs(t.Context(), bare(t, f.At(""))) {
				if !onlyKind(err, c.kind) {
					t.Errorf("%s: %v; want %v", verb, err, c.kind)
				}
				// A HEAD has no body to say it with.
				if verb != "get last" && !strings.Contains(fmt.Sprint(err), c.says) {
					t.Errorf("%s: %v does not mention %q", verb, err, c.says)
				}
			}
		})
	}
}

func onlyKind(err, kind error) bool {
	for _, k := range []error{fault.NotFound, fault.Exists, fault.Conflict, fault.Unchanged, fault.Corrupt, fault.Refused,
		fault.Throttled, fault.Unavailable, fault.Limit, fault.Path} {
		if errors.Is(err, k) != (k == kind) {
			return false
		}
	}
	return true
}

func azureSays(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { Fail(w, status, code, "This is the message.") }
}

func page(status int, mediaType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func redirect(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/portal" {
		w.Header().Set("ETag", `"portal"`)
		io.WriteString(w, "<html>")
		return
	}
	http.Redirect(w, r, "/portal", http.StatusFound)
}

// endless sends an error document of 64 MiB, of which no more than a bounded part is read.
func endless(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(502)
	line := []byte(strings.Repeat("x", 1<<20))
	for range 64 {
		if _, err := w.Write(line); err != nil || r.Method == "HEAD" {
			return
		}
	}
}

func TestCodes(t *testing.T) {
	for _, c := range []struct {
		name     string
		status   int
		code     string
		ifAbsent bool
		kind     error
	}{
		{"absent", 404, "BlobNotFound", false, fault.NotFound},
		{"there already", 409, "BlobAlreadyExists", true, fault.Exists},
		{"there already, by 412", 412, "ConditionNotMet", true, fault.Exists},
		{"another version", 412, "ConditionNotMet", false, fault.Conflict},
		{"412 without a code", 412, "", false, fault.Conflict},
		{"the same version", 304, "", false, fault.Unchanged},
		{"past the end", 416, "InvalidRange", false, fault.Corrupt},
		{"blocks gone", 400, "InvalidBlockList", false, fault.Conflict},
		{"too large", 413, "RequestBodyTooLarge", false, fault.Limit},
		{"no such verb", 405, "UnsupportedHttpVerb", false, errors.ErrUnsupported},
		{"snapshots", 409, "SnapshotsPresent", false, fault.Refused},
		{"a 200 for a put", 200, "", false, fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := kindOf(c.status, c.code, c.ifAbsent); got != c.kind {
				t.Errorf("%v, want %v", got, c.kind)
			}
		})
	}
}

func TestNoAnswer(t *testing.T) {
	environment(t)
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	at := func(domain, protocol string) string {
		return "azblob://zarr-test?storage_account=acct&domain=" + url.QueryEscape(domain) + "&protocol=" + protocol
	}
	for _, c := range []struct{ name, url string }{
		{"the name does not resolve", at("blob.zargo.invalid", "https")},
		{"the connection is refused", at(strings.TrimPrefix(closed.URL, "http://"), "http")},
		{"the certificate is not trusted", at(strings.TrimPrefix(tls.URL, "https://"), "https")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("AZURE_STORAGE_KEY", "") // also with a token in the URL, which must not show
			s := bare(t, c.url, SASToken("sv=2026&sig=secret"))
			for verb, err := range verbs(t.Context(), s) {
				if !onlyKind(err, fault.Unavailable) || !strings.Contains(fmt.Sprint(err), "no answer") {
					t.Errorf("%s: %v", verb, err)
				}
				if strings.Contains(fmt.Sprint(err), "secret") {
					t.Errorf("%s prints the token: %v", verb, err)
				}
			}
		})
	}
}

func TestErrorKeepsTheSDKs(t *testing.T) {
	environment(t)
	f := NewFake(t)
	_, err := bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	var resp *azcore.ResponseError
	if !errors.Is(err, fault.NotFound) || !errors.As(err, &resp) || resp.ErrorCode != "BlobNotFound" {
		t.Errorf("%v (%v)", err, resp)
	}
	if !strings.Contains(err.Error(), "The specified blob does not exist.") || strings.Contains(err.Error(), "RequestId") {
		t.Error(err)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name, header, value string
		want                time.Duration
	}{
		{"none", "", "", 0},
		{"seconds", "Retry-After", "7", 7 * time.Second},
		{"milliseconds", "X-Ms-Retry-After-Ms", "250", 250 * time.Millisecond},
		{"a date", "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT", 0},
		{"too much", "Retry-After", "99999999999", 0},
		{"negative", "Retry-After", "-1", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t)
			f := NewFake(t)
			f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
				if c.header != "" {
					w.Header().Set(c.header, c.value)
				}
				Fail(w, 503, "ServerBusy", "busy")
				return true
			})
			_, err := bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
			var after interface{ RetryAfter() time.Duration }
			if !errors.As(err, &after) || after.RetryAfter() != c.want {
				t.Errorf("%v: %v, want %v", err, after, c.want)
			}
			if got := len(f.Requests()); got != 1 {
				t.Errorf("the SDK made %d requests", got)
			}
		})
	}
}

// tokens is a credential that fails.
type tokens struct{ err error }

func (t tokens) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "t", ExpiresOn: time.Now().Add(time.Hour)}, t.err
}

func TestCredentialFails(t *testing.T) {
	environment(t)
	s := bare(t, "azblob://c?storage_account=acct", Credential(tokens{errors.New("please run az login")}))
	for verb, err := range verbs(t.Context(), s) {
		if !onlyKind(err, fault.Refused) || !strings.Contains(fmt.Sprint(err), "az login") {
			t.Errorf("%s: %v", verb, err)
		}
	}
}
