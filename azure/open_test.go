package azure

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// seen is a transport that records the request and responds that the blob is absent.
type seen struct {
	url    string
	header http.Header
	n      int
}

func (s *seen) Do(r *http.Request) (*http.Response, error) {
	s.url, s.header = r.URL.String(), r.Header.Clone()
	s.n++
	return &http.Response{StatusCode: 404, Status: "404", Body: http.NoBody, Request: r,
		Header: http.Header{"X-Ms-Error-Code": {"BlobNotFound"}, "X-Ms-Request-Id": {"1"}}}, nil
}

// TestOpen checks the account and the credentials of requests.
func TestOpen(t *testing.T) {
	const conn = "DefaultEndpointsProtocol=https;AccountName=conn;AccountKey=a2V5;EndpointSuffix=core.windows.net"
	type env map[string]string
	for _, c := range []struct {
		name string
		url  string
		env  env
		opts []Option
		asks string // the requested URL, up to a secret query
		auth string // prefix of Authorization
	}{
		{"shared key of the environment", "azblob://c/p", env{}, nil, "https://acct.blob.core.windows.net/c/p%2Fk", "SharedKey acct:"},
		{"shared key of an option", "azblob://c", env{"AZURE_STORAGE_KEY": ""}, []Option{SharedKey("a2V5")},
			"https://acct.blob.core.windows.net/c/k", "SharedKey acct:"},
		{"key of the environment, account of the URL", "azblob://c?storage_account=b", env{"AZURE_STORAGE_ACCOUNT": ""}, nil,
			"https://b.blob.core.windows.net/c/k", "SharedKey b:"},
		{"anonymous", "azblob://c?storage_account=public&anonymous=true", env{}, nil, "https://public.blob.core.windows.net/c/k", ""},
		{"SAS token of the environment", "azblob://c", env{"AZURE_STORAGE_KEY": "", "AZURE_STORAGE_SAS_TOKEN": "?sv=1&sig=s"}, nil,
			"https://acct.blob.core.windows.net/c/k?sig=s&sv=1", ""},
		{"SAS token of an option", "azblob://c?storage_account=b", env{}, []Option{SASToken("sv=1&sig=s")},
			"https://b.blob.core.windows.net/c/k?sig=s&sv=1", ""},
		{"connection string of the environment", "azblob://c", env{"AZURE_STORAGE_KEY": "", "AZURE_STORAGE_CONNECTION_STRING": conn}, nil,
			"https://conn.blob.core.windows.net/c/k", "SharedKey conn:"},
		{"connection string of an option", "azblob://c", env{}, []Option{ConnectionString("BlobEndpoint=http://127.0.0.1:1/dev;AccountName=dev;AccountKey=a2V5")},
			"http://127.0.0.1:1/dev/c/k", "SharedKey dev:"},
		{"token of an option", "azblob://c", env{}, []Option{Credential(tokens{})}, "https://acct.blob.core.windows.net/c/k", "Bearer t"},
		{"emulator by parameter", "azblob://c?localemu=true", env{}, nil, "http://127.0.0.1:10000/acct/c/k", "SharedKey acct:"},
		{"emulator by option", "azblob://c", env{}, []Option{Emulator(), Domain("azurite:10000"), Protocol("http")},
			"http://azurite:10000/acct/c/k", "SharedKey acct:"},
		{"emulator by variables", "azblob://c", env{"AZURE_STORAGE_DOMAIN": "azurite:10000", "AZURE_STORAGE_PROTOCOL": "http",
			"AZURE_STORAGE_IS_LOCAL_EMULATOR": "true"}, nil, "http://azurite:10000/acct/c/k", "SharedKey acct:"},
		{"emulator by its address", "azblob://c?domain=localhost:10000&protocol=http", env{}, nil, "http://localhost:10000/acct/c/k", "SharedKey acct:"},
		{"another cloud", "azblob://c?domain=blob.core.usgovcloudapi.net", env{}, nil, "https://acct.blob.core.usgovcloudapi.net/c/k", "SharedKey acct:"},
		{"CDN", "azblob://c?domain=cdn.example.com&cdn=true&anonymous=true", env{}, nil, "https://cdn.example.com/c/k", ""},
		{"option over URL over variable", "azblob://c?storage_account=b", env{}, []Option{Account("third"), SharedKey("a2V5")},
			"https://third.blob.core.windows.net/c/k", "SharedKey third:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t)
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			h := &seen{}
			s := open(t, c.url, append(c.opts, HTTPClient(h))...)
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
				t.Fatal(err)
			}
			if h.url != c.asks || h.n != 1 {
				t.Errorf("asked %d times for %s, want %s", h.n, h.url, c.asks)
			}
			if got := h.header.Get("Authorization"); !strings.HasPrefix(got, c.auth) || c.auth == "" && got != "" {
				t.Errorf("Authorization is %q, want %q", got, c.auth)
			}
			if name := store.Name(s); strings.Contains(name, "sig") || strings.Contains(name, "a2V5") {
				t.Errorf("the name is %s", name)
			}
		})
	}
}

// TestOpenDefaultChain checks that without other credentials the first request uses azidentity's
// default chain.
func TestOpenDefaultChain(t *testing.T) {
	environment(t)
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential") // not those of the machine
	h := &seen{}
	_, err := Open(t.Context(), "azblob://c", HTTPClient(h))
	if err == nil {
		s := open(t, "azblob://c", HTTPClient(h))
		_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
	}
	if !errors.Is(err, fault.Refused) || !strings.Contains(err.Error(), "redentials") || h.n != 0 {
		t.Errorf("%v after %d requests", err, h.n)
	}
}

// opening describes Azure for the tests of Open that all providers share.
func opening() fake.Opening[Option] {
	return fake.Opening[Option]{
		Open: Open, Scheme: "azblob", Bucket: "container", Server: "the account is the parameter storage_account", Text: "domain", TooFew: MaxInFlight(-1),
	}
}

func TestOpenMistakes(t *testing.T) {
	environment(t)
	p := opening()
	fake.Mistakes(t, p,
		p.Mistake("the parameters there are", "azblob://c?region=x", "storage_account"),
		p.Mistake("SAS token in the URL", "azblob://c?sig=hush", "AZURE_STORAGE_SAS_TOKEN"),
		p.Mistake("CDN flag", "azblob://c?cdn=perhaps", "perhaps"),
		p.Mistake("protocol", "azblob://c?protocol=ftp", "ftp"),
		p.Mistake("domain", "azblob://c?domain=a/b", "a/b"),
		p.Mistake("domain with a user", "azblob://c?domain=me@b", "host name"),
		p.Mistake("account", "azblob://c?storage_account=evil.example/", "evil"),
		p.Mistake("tier", "azblob://c?access_tier=lukewarm", "lukewarm"),
		p.Mistake("two credentials", "azblob://c?anonymous=true", "cannot be combined", SharedKey("a2V5")),
		p.Mistake("connection string and domain", "azblob://c?domain=x", "connection string", ConnectionString("AccountName=a;AccountKey=a2V5")),
		p.Mistake("cdn and emulator", "azblob://c?cdn=true&localemu=true", "cannot be combined"),
		p.Mistake("key of another account", "azblob://c?storage_account=other", "other"),
	)
}

// TestOpenMistakesOfTheEnvironment checks the errors for environments that conflict with the URL or
// are invalid.
func TestOpenMistakesOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		name, url string
		env       [2]string
		says      string
	}{
		{"variable", "azblob://c", [2]string{"AZURE_STORAGE_IS_CDN", "perhaps"}, "AZURE_STORAGE_IS_CDN"},
		{"SAS token of another account", "azblob://c?storage_account=other", [2]string{"AZURE_STORAGE_SAS_TOKEN", "sig=secret"}, "other"},
		{"SAS token to another domain", "azblob://c?domain=evil.example", [2]string{"AZURE_STORAGE_SAS_TOKEN", "sig=secret"}, "evil.example"},
		{"SAS token in the clear", "azblob://c?protocol=http", [2]string{"AZURE_STORAGE_SAS_TOKEN", "sig=secret"}, "http"},
		{"token to another domain", "azblob://c?domain=core.windows.net.evil.example", [2]string{"AZURE_STORAGE_KEY", ""}, "evil.example"},
		{"token to a false loopback", "azblob://c?domain=localhost.evil.example", [2]string{"AZURE_STORAGE_KEY", ""}, "evil.example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t)
			if c.env[0] == "AZURE_STORAGE_SAS_TOKEN" {
				t.Setenv("AZURE_STORAGE_KEY", "")
			}
			t.Setenv(c.env[0], c.env[1])
			s, err := Open(t.Context(), c.url)
			var mistake *UsageError
			if s != nil || !errors.As(err, &mistake) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, does it mention %q?", err, c.says)
			}
		})
	}
}

func TestOpenCancelled(t *testing.T) { environment(t); fake.OpenCancelled(t, opening()) }

func TestOpenRefused(t *testing.T) {
	for _, c := range []struct {
		name, url string
		opts      []Option
	}{
		{"no account", "azblob://c", []Option{Anonymous()}},
		{"key", "azblob://c?storage_account=a", []Option{SharedKey("not base64 secret")}},
		{"connection string", "azblob://c", []Option{ConnectionString("secret")}},
		{"connection string's key", "azblob://c", []Option{ConnectionString("AccountName=a;AccountKey=!secret")}},
		{"token over http", "azblob://c?storage_account=a&protocol=http", []Option{Credential(tokens{})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t)
			t.Setenv("AZURE_STORAGE_ACCOUNT", "")
			s, err := Open(t.Context(), c.url, c.opts...)
			if s != nil || !errors.Is(err, fault.Refused) || strings.Contains(err.Error(), "secret") {
				t.Error(err)
			}
		})
	}
}

func TestOptionsPrintNoSecrets(t *testing.T) {
	all := fmt.Sprint(SharedKey("secret"), SASToken("secret"), ConnectionString("secret"), Credential(tokens{errors.New("secret")}),
		HTTPClient(http.DefaultClient), Account("a"), Domain("d"), Protocol("http"), Emulator(), Anonymous(), AccessTier("Hot"),
		ContentType("x/y"), MaxInFlight(3), Retry())
	if strings.Contains(all, "secret") || !strings.Contains(all, `azure.Account("a")`) {
		t.Error(all)
	}
}

func TestProvides(t *testing.T) {
	environment(t)
	s := open(t, "azblob://c", MaxInFlight(7))
	var client *container.Client
	var bucket *gcblob.Bucket
	if !store.As(s, &client) || !store.As(s, &bucket) {
		t.Error("the client or the bucket is not given")
	}
	if got := store.TuningOf(s); got.Requests != 7 || got.ListPage != 5000 || !strings.HasPrefix(got.Reason, "Azure") {
		t.Errorf("%+v", got)
	}
}

var (
	_ azcore.TokenCredential = tokens{}
	_ policy.Transporter     = (*seen)(nil)
)
