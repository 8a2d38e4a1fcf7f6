package azure

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestForms checks the conversion of the URL forms of other programs and of the portal.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		url, asks, name string
	}{
		{"az://c/p", "https://acct.blob.core.windows.net/c/p%2Fk", "azblob://c/p?storage_account=acct"},
		{"azure://c/p", "https://acct.blob.core.windows.net/c/p%2Fk", "azblob://c/p?storage_account=acct"},
		{"abfs://c/p", "https://acct.blob.core.windows.net/c/p%2Fk", "azblob://c/p?storage_account=acct"},
		{"abfss://c?storage_account=other", "https://other.blob.core.windows.net/c/k", "azblob://c?storage_account=other"},
		{"abfs://c@other.dfs.core.windows.net/p/q", "https://other.blob.core.windows.net/c/p%2Fq%2Fk", "azblob://c/p/q?storage_account=other"},
		{"abfss://c@other.dfs.core.windows.net", "https://other.blob.core.windows.net/c/k", "azblob://c?storage_account=other"},
		{"abfss://c@other.dfs.core.usgovcloudapi.net/p", "https://other.blob.core.usgovcloudapi.net/c/p%2Fk",
			"azblob://c/p?domain=blob.core.usgovcloudapi.net&storage_account=other"},
		{"https://other.blob.core.windows.net/c/p/q", "https://other.blob.core.windows.net/c/p%2Fq%2Fk", "azblob://c/p/q?storage_account=other"},
		{"https://other.blob.core.windows.net/c", "https://other.blob.core.windows.net/c/k", "azblob://c?storage_account=other"},
		{"https://other.dfs.core.windows.net/c/p/", "https://other.blob.core.windows.net/c/p%2Fk", "azblob://c/p?storage_account=other"},
		{"https://other.z01.blob.storage.azure.net/c/p", "https://other.z01.blob.storage.azure.net/c/p%2Fk",
			"azblob://c/p?domain=z01.blob.storage.azure.net&storage_account=other"},
		{"https://other.blob.core.windows.net/c/a%20b?sv=2026-01-01&sp=rl&sig=hu%2Fsh", "https://other.blob.core.windows.net/c/a%20b%2Fk?sig=hu%2Fsh&sp=rl&sv=2026-01-01",
			"azblob://c/a b?storage_account=other"},
		{"https://other.blob.core.windows.net/c?sv=1&sig=hush&content_type=x%2Fy", "https://other.blob.core.windows.net/c/k?sig=hush&sv=1", "azblob://c?storage_account=other"},
		{"https://other.blob.core.windows.net/$root/p?anonymous=true", "https://other.blob.core.windows.net/$root/p%2Fk", "azblob://$root/p?storage_account=other"},
	} {
		t.Run(c.url, func(t *testing.T) {
			environment(t)
			if !IsURL(c.url) {
				t.Error("it is none of Azure's")
			}
			t.Setenv("AZURE_STORAGE_KEY", "")
			t.Setenv("AZURE_STORAGE_ACCOUNT", "")
			o := []Option{Account("acct")}
			if strings.Contains(c.name, "other") {
				o = nil
			}
			if !strings.Contains(c.url, "sig=") {
				o = append(o, Anonymous())
			}
			h := &seen{}
			s := open(t, c.url, append(o, HTTPClient(h))...)
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
				t.Fatal(err)
			}
			if h.url != c.asks || store.Name(s) != c.name {
				t.Errorf("%s asked for %s\nwant %s, %s", store.Name(s), h.url, c.name, c.asks)
			}
		})
	}
}

func TestFormsRefused(t *testing.T) {
	for _, c := range []struct{ url, says string }{
		{"https://example.org/c/p?sig=hush", "not a host of Azure"},
		{"https://blob.core.windows.net/c", "not a host of Azure"},
		{"https://acct.file.core.windows.net/c", "not a host of Azure"},
		{"https://acct.blob.core.windows.net/", "no container"},
		{"https://acct.blob.core.windows.net", "no container"},
		{"https://u:hush@acct.blob.core.windows.net/c", "password"},
		{"https://u@acct.blob.core.windows.net/c", "password"},
		{"https://acct.blob.core.windows.net/c?colour=red", "colour"},
		{"https://acct.blob.core.windows.net/c?storage_account=b&sig=hush", "in a parameter"},
		{"https://acct.blob.core.windows.net/c#x", "fragment"},
		{"abfss://acct.dfs.core.windows.net/c/p", "container@acct.dfs.core.windows.net"},
		{"abfss://c@acct/p", "not the host of an account"},
		{"abfss://c:hush@acct.dfs.core.windows.net/p", "password"},
		{"az://c?sig=hush", "AZURE_STORAGE_SAS_TOKEN"},
		{"az://c%zz", "is malformed"},
	} {
		t.Run(c.url, func(t *testing.T) {
			environment(t)
			_, err := Open(t.Context(), c.url)
			var u *UsageError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v, does it mention %q?", err, c.says)
			}
		})
	}
	for _, raw := range []string{"http://acct.blob.core.windows.net/c", "https://example.org", "s3://b", "azblob", "", "https://acct.blob.core.windows.net.evil.example/c"} {
		if IsURL(raw) {
			t.Errorf("%q is one of Azure's", raw)
		}
	}
}

// TestAccessHints checks that errors name the missing permissions of a token or of an anonymous
// caller.
func TestAccessHints(t *testing.T) {
	const sas = "https://a.blob.core.windows.net/c?sv=1&sp=rl&sig=hush"
	for _, c := range []struct {
		name, url  string
		opts       []Option
		status     int
		code, says string
		not        string // of a read
	}{
		{"SAS without permission to write", sas, nil, 403, "AuthorizationPermissionMismatch", `permits "rl"`, "role"},
		{"SAS of a stored policy", "https://a.blob.core.windows.net/c?sv=1&si=p&sig=hush", nil, 403, "AuthorizationPermissionMismatch", "writes c and w", "role"},
		{"identity without a role", "azblob://c?storage_account=a", []Option{Credential(tokens{})}, 403, "AuthorizationPermissionMismatch", "role", "SAS"},
		{"anonymous", "azblob://c?storage_account=a&anonymous=true", nil, 404, "ResourceNotFound", "remove anonymous=true", "SAS"},
		{"anonymous, 401", "azblob://c?storage_account=a&anonymous=true", nil, 401, "NoAuthenticationInformation", "remove anonymous=true", "SAS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t)
			t.Setenv("AZURE_STORAGE_KEY", "")
			net := &wire{answer: func(r *http.Request) *http.Response { return says(r, c.status, c.code) }}
			s := open(t, c.url, append(c.opts, HTTPClient(net))...)
			_, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{})
			text := fmt.Sprint(err)
			if !errors.Is(err, fault.Refused) || !strings.Contains(text, c.says) || strings.Contains(text, c.not) || strings.Contains(text, "hush") {
				t.Errorf("a put: %v", err)
			}
			if n := strings.Count(text, "azblob://"); n != 1 || strings.Contains(text, "https://") {
				t.Errorf("the URL is printed %d times: %v", n, err)
			}
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); strings.Contains(fmt.Sprint(err), "writing needs:") {
				t.Errorf("a get: %v", err)
			}
		})
	}
}

func FuzzForms(f *testing.F) {
	for _, s := range []string{"https://a.blob.core.windows.net/c/p?sig=x", "abfss://c@a.dfs.core.windows.net/p", "az://c", "abfs://a.b/c", "https://%41.blob.core.windows.net/c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := &config{}
		if c.parseURL(s) == nil && (c.container == "" || store.CheckPrefix(c.prefix) != nil) {
			t.Errorf("%q: container %q, prefix %q", s, c.container, c.prefix)
		}
	})
}
