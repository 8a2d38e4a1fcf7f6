package azure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestPages checks that the text of a proxy's page is in the error of each verb.
func TestPages(t *testing.T) {
	environment(t)
	f := NewFake(t)
	fake.Pages(t, f.Answer, bare(t, f.At("")), `"1"`, "get last")
}

// TestUntimely checks that a failed authentication states a wrong clock and the period of a SAS
// token.
func TestUntimely(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name   string
		url    string
		signed time.Time
		says   string
	}{
		{"clock", "https://a/c/k", now.Add(-time.Hour), "the server's: set it"},
		{"key", "https://a/c/k", now, "the key is wrong"},
		{"expired token", "https://a/c/k?sig=s&se=2030-01-02T03:00:00Z", now, "expired at 2030-01-02T03:00:00Z, and the server's time is 2030-01-02T03:04:05Z"},
		{"early token", "https://a/c/k?sig=s&st=2030-01-02T04:00:00Z&se=2031-01-02T03:00:00Z", now, "valid from 2030-01-02T04:00:00Z"},
		{"wrong token", "https://a/c/k?sig=s&se=2031-01-02T03:00:00Z", now, "the key is wrong"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, c.url, nil)
			r.Header.Set("X-Ms-Date", c.signed.Format(http.TimeFormat))
			r.Header.Set("Authorization", "SharedKey a:b")
			got := untimely(&http.Response{Header: http.Header{"Date": {now.Format(http.TimeFormat)}}, Request: r})
			if !strings.Contains(got, c.says) {
				t.Errorf("%q does not contain %q", got, c.says)
			}
		})
	}
	if got := untimely(&http.Response{}); !strings.Contains(got, "the key is wrong") {
		t.Errorf("without a request: %q", got)
	}
}

// TestAzureFailures checks that a failure has the same kind for every method. gocloud returns
// NotFound for half of these failures.
func TestAzureFailures(t *testing.T) {
	environment(t)
	for _, c := range []struct {
		name   string
		answer fake.Answer
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
		{"being restored", azureSays(409, "BlobBeingRehydrated"), fault.Refused, "hours"},
		{"customer-managed key", azureSays(403, "KeyVaultAccessTokenCannotBeAcquired"), fault.Refused, "key vault"},
		{"unknown 404", azureSays(404, "SomethingNew"), fault.Refused, ""},
		{"throttled", azureSays(503, "ServerBusy"), fault.Throttled, "ServerBusy"},
		{"throttled by 429", azureSays(429, "TooManyRequests"), fault.Throttled, ""},
		{"timed out", azureSays(500, "OperationTimedOut"), fault.Unavailable, ""},
		{"internal error", azureSays(500, "InternalError"), fault.Unavailable, ""},
		{"503 of a proxy", fake.Page(503, "text/html", "<html>bad"), fault.Unavailable, "not in Azure's error format"},
		{"404 of a proxy", fake.Page(404, "text/html", "<html>not here"), fault.Unavailable, "not in Azure's error format"},
		{"404 of a page about it", fake.Page(404, "text/html", "<html><code>BlobNotFound</code>"), fault.Unavailable, ""},
		{"empty 404", fake.Page(404, "", ""), fault.Unavailable, ""},
		{"HTML with 200", fake.Page(200, "text/html", "<html><body>Please log in</body></html>"), fault.Unavailable, ""},
		{"empty 200", fake.Page(200, "", ""), fault.Unavailable, ""},
		{"a portal's redirect", redirect, fault.Unavailable, ""},
		{"endless error", endless, fault.Unavailable, ""},
		{"connection cut", func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }, fault.Unavailable, "no response"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFake(t)
			f.Answer(c.answer)
			for verb, err := range fake.Verbs(t.Context(), bare(t, f.At("")), `"1"`) {
				t.Run(verb, func(t *testing.T) { fake.WantKind(t, err, c.kind) })
				// The response to a HEAD has no body.
				if verb != "get last" && !strings.Contains(fmt.Sprint(err), c.says) {
					t.Errorf("%s: %v does not mention %q", verb, err, c.says)
				}
			}
		})
	}
}

func azureSays(status int, code string) fake.Answer {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		Fail(w, status, code, "This is the message.")
		return true
	}
}

func redirect(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path == "/portal" {
		w.Header().Set("ETag", `"portal"`)
		io.WriteString(w, "<html>")
	} else {
		http.Redirect(w, r, "/portal", http.StatusFound)
	}
	return true
}

// endless responds with an error document of 64 MiB. The client must read only a bounded part of
// it.
func endless(w http.ResponseWriter, r *http.Request) bool {
	w.WriteHeader(502)
	line := []byte(strings.Repeat("x", 1<<20))
	for range 64 {
		if _, err := w.Write(line); err != nil || r.Method == "HEAD" {
			break
		}
	}
	return true
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

// TestNoAnswer checks that the error of a request without a response does not contain the token of
// the URL.
func TestNoAnswer(t *testing.T) {
	environment(t)
	t.Setenv("AZURE_STORAGE_KEY", "")
	gone := httptest.NewServer(nil)
	gone.Close()
	s := bare(t, "azblob://zarr-test?storage_account=acct&protocol=http&domain="+url.QueryEscape(strings.TrimPrefix(gone.URL, "http://")),
		SASToken("sv=2026&sig=secret"))
	for verb, err := range fake.Verbs(t.Context(), s, `"1"`) {
		fake.WantKind(t, err, fault.Unavailable)
		if !strings.Contains(fmt.Sprint(err), "no response") || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: %v", verb, err)
		}
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
	environment(t)
	f := NewFake(t)
	f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("X-Ms-Retry-After-Ms", "250")
		Fail(w, 503, "ServerBusy", "busy")
		return true
	})
	_, err := bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	var after interface{ RetryAfter() time.Duration }
	if !errors.As(err, &after) || after.RetryAfter() != 250*time.Millisecond {
		t.Errorf("the server's 250 ms cannot be reached in %v", err)
	}
	if got := len(f.Requests()); got != 1 {
		t.Errorf("the SDK made %d requests", got)
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
	for verb, err := range fake.Verbs(t.Context(), s, `"1"`) {
		fake.WantKind(t, err, fault.Refused)
		if !strings.Contains(fmt.Sprint(err), "az login") {
			t.Errorf("%s: %v", verb, err)
		}
	}
}
