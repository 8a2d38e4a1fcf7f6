package azure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// wire replaces the network. It sends nothing.
type wire struct {
	answer func(r *http.Request) *http.Response

	mu   sync.Mutex
	seen []*http.Request
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	w.mu.Lock()
	w.seen = append(w.seen, r)
	w.mu.Unlock()
	if w.answer != nil {
		return w.answer(r), nil
	}
	return says(r, 404, "BlobNotFound"), nil
}

func says(r *http.Request, status int, code string, header ...string) *http.Response {
	h := http.Header{"X-Ms-Request-Id": {"1"}}
	if code != "" {
		h.Set("X-Ms-Error-Code", code)
	}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: http.NoBody, Request: r}
}

// bearer returns the credentials of a request that its receiver could reuse.
func bearer(r *http.Request) string {
	if a := r.Header.Get("Authorization"); strings.HasPrefix(a, "Bearer ") {
		return a
	}
	return r.URL.Query().Get("sig")
}

// TestTokensGoToTrustedHosts checks that identity and SAS tokens are sent to Azure, to this
// machine, and to hosts configured outside the URL.
func TestTokensGoToTrustedHosts(t *testing.T) {
	type env map[string]string
	const refused = "refused"
	token, sas := Credential(tokens{}), SASToken("sv=1&sig=s")
	for _, c := range []struct {
		name string
		url  string
		env  env
		opts []Option
		want string // the host that receives the token, or "refused"
	}{
		{"Azure", "azblob://c", nil, []Option{token}, "acct.blob.core.windows.net"},
		{"Azure, SAS", "azblob://c", nil, []Option{sas}, "acct.blob.core.windows.net"},
		{"Data Lake", "abfss://c@other.dfs.core.windows.net/p", nil, []Option{token}, "other.blob.core.windows.net"},
		{"another cloud", "azblob://c?domain=blob.core.chinacloudapi.cn", nil, []Option{token}, "acct.blob.core.chinacloudapi.cn"},
		{"another domain", "azblob://c?domain=evil.example", nil, []Option{token}, refused},
		{"another domain, SAS", "azblob://c?domain=evil.example", nil, []Option{sas}, refused},
		{"another domain, SAS of the environment", "azblob://c?domain=evil.example", env{"AZURE_STORAGE_SAS_TOKEN": "sig=s"}, nil, refused},
		{"another domain, CDN", "azblob://c?domain=evil.example&cdn=true", nil, []Option{token}, refused},
		{"another domain, emulator", "azblob://c?domain=evil.example&localemu=true", nil, []Option{sas}, refused},
		{"another domain of Data Lake", "abfss://c@acct.dfs.evil.example/p", nil, []Option{token}, refused},
		{"a domain that looks like Azure's", "azblob://c?domain=blob.core.windows.net.evil.example", nil, []Option{token}, refused},
		{"a domain that ends like Azure's", "azblob://c?domain=evilcore.windows.net", nil, []Option{token}, refused},
		{"an address", "azblob://c?domain=203.0.113.1", nil, []Option{sas}, refused},
		{"a domain that looks like this machine", "azblob://c?domain=127.0.0.1.evil.example", nil, []Option{sas}, refused},
		{"in the clear, SAS", "azblob://c?protocol=http", nil, []Option{sas}, refused},
		{"this machine, SAS", "azblob://c?localemu=true", nil, []Option{sas}, "127.0.0.1:10000"},
		{"an option names it", "azblob://c", nil, []Option{token, Domain("blob.example")}, "acct.blob.example"},
		{"an option over the URL", "azblob://c?domain=evil.example", nil, []Option{token, Domain("blob.example")}, "acct.blob.example"},
		{"an option trusts it", "azblob://c?domain=blob.example", nil, []Option{token, TrustHost("blob.example")}, "acct.blob.example"},
		{"a variable names it", "azblob://c?domain=blob.example", env{"AZURE_STORAGE_DOMAIN": "blob.example"}, []Option{token}, "acct.blob.example"},
		{"a variable trusts it", "azblob://c?domain=blob.example", env{provider.TrustVariable: "blob.example"}, []Option{sas}, "acct.blob.example"},
		{"the URL's own SAS token", "https://acct.blob.core.windows.net/c/p?sv=1&sig=s", nil, nil, "acct.blob.core.windows.net"},
		{"the URL's own SAS token to another host", "https://acct.blob.evil.example/c/p?sv=1&sig=s", nil, nil, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t)
			t.Setenv("AZURE_STORAGE_KEY", "")
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			net := &wire{}
			s, err := Open(t.Context(), c.url, append(c.opts, HTTPClient(net))...)
			if err == nil {
				defer s.Close()
				_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
				_, _ = s.Put(t.Context(), "k", []byte("v"), store.PutOptions{})
			}
			var u *UsageError
			if c.want == refused {
				if !errors.As(err, &u) || len(net.seen) != 0 {
					t.Errorf("%d requests, %v", len(net.seen), err)
				}
				return
			}
			if !errors.Is(err, fault.NotFound) || len(net.seen) != 2 {
				t.Errorf("%d requests, %v", len(net.seen), err)
			}
			for _, r := range net.seen {
				if bearer(r) == "" || r.URL.Host != c.want {
					t.Errorf("%q was sent to %s, want %s", bearer(r), r.URL.Host, c.want)
				}
			}
			if strings.Contains(fmt.Sprint(s, err), "sig=") {
				t.Errorf("a secret is printed: %v, %v", s, err)
			}
		})
	}
}

// TestSignaturesInTheClear checks that signed requests use http to this machine and private
// networks, and to other hosts only if that is configured outside the URL.
func TestSignaturesInTheClear(t *testing.T) {
	const (
		key     = "c2VjcmV0"
		refused = "refused"
	)
	for _, c := range []struct {
		name string
		url  string
		env  map[string]string
		opts []Option
		want string // the host that receives the request, or "refused"
	}{
		{"Azure", "azblob://c?protocol=http", nil, nil, refused},
		{"Azure, key of an option", "azblob://c?protocol=http", map[string]string{"AZURE_STORAGE_KEY": ""}, []Option{SharedKey(key)}, refused},
		{"another domain", "azblob://c?protocol=http&domain=blob.example", nil, nil, refused},
		{"an address", "azblob://c?protocol=http&domain=203.0.113.1&localemu=true", nil, nil, refused},
		{"CDN", "azblob://c?protocol=http&domain=cdn.example&cdn=true", nil, nil, refused},
		{"this machine", "azblob://c?protocol=http&domain=127.0.0.1:10000&localemu=true", nil, nil, "127.0.0.1:10000"},
		{"the emulator", "azblob://c?localemu=true", nil, nil, "127.0.0.1:10000"},
		{"a private address", "azblob://c?protocol=http&domain=10.1.2.3:10000&localemu=true", nil, nil, "10.1.2.3:10000"},
		{"a container", "azblob://c?protocol=http&domain=azurite:10000&localemu=true", nil, nil, "azurite:10000"},
		{"an option", "azblob://c?domain=blob.example", nil, []Option{Protocol("http")}, "acct.blob.example"},
		{"a variable", "azblob://c?protocol=http&domain=blob.example", map[string]string{"AZURE_STORAGE_PROTOCOL": "http"}, nil, "acct.blob.example"},
		{"over https", "azblob://c?domain=blob.example", nil, nil, "acct.blob.example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t)
			t.Setenv("AZURE_STORAGE_KEY", key)
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			net := &wire{}
			s, err := Open(t.Context(), c.url, append(c.opts, HTTPClient(net))...)
			if err == nil {
				defer s.Close()
				_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
			}
			var u *UsageError
			switch {
			case c.want == refused:
				if !errors.As(err, &u) || len(net.seen) != 0 {
					t.Errorf("%d requests, %v", len(net.seen), err)
				}
			case !errors.Is(err, fault.NotFound) || len(net.seen) != 1:
				t.Errorf("%d requests, %v", len(net.seen), err)
			case net.seen[0].URL.Host != c.want || !strings.HasPrefix(net.seen[0].Header.Get("Authorization"), "SharedKey "):
				t.Errorf("%q was sent to %s, want %s", net.seen[0].Header.Get("Authorization"), net.seen[0].URL.Host, c.want)
			}
		})
	}
}

// numbered returns the tokens t1, t2, …
type numbered struct {
	mu   sync.Mutex
	n    int
	fail func(n int) error
	life time.Duration
}

func (c *numbered) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if c.fail != nil {
		if err := c.fail(c.n); err != nil {
			return azcore.AccessToken{}, err
		}
	}
	return azcore.AccessToken{Token: fmt.Sprintf("t%d", c.n), ExpiresOn: time.Now().Add(c.life)}, nil
}

// TestRevokedToken checks that a token that is rejected before its expiry is replaced once, and the
// request is sent again with its value.
func TestRevokedToken(t *testing.T) {
	verbs := map[string]func(store.Store) error{
		"get": func(s store.Store) error {
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
				return err
			}
			return nil
		},
		"put": func(s store.Store) error {
			_, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true})
			return err
		},
		"part": func(s store.Store) error {
			p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
			if err != nil {
				return err
			}
			return p.Part(t.Context(), 0, []byte("v"))
		},
		"delete": func(s store.Store) error { return s.Delete(t.Context(), "k", store.DeleteOptions{}) },
	}
	for verb, do := range verbs {
		for _, good := range []string{"Bearer t2", "none"} {
			t.Run(verb+" "+good, func(t *testing.T) {
				environment(t)
				t.Setenv("AZURE_STORAGE_KEY", "")
				cred := &numbered{life: time.Hour}
				net := &wire{answer: func(r *http.Request) *http.Response {
					switch {
					case r.Header.Get("Authorization") != good:
						return says(r, 401, "InvalidAuthenticationInfo")
					case r.Method == http.MethodGet:
						return says(r, 404, "BlobNotFound")
					case r.Method == http.MethodDelete:
						return says(r, 202, "")
					}
					return says(r, 201, "", "ETag", `"1"`)
				}}
				err := do(open(t, "azblob://c", Credential(cred), HTTPClient(net)))
				if good == "none" && !errors.Is(err, fault.Refused) || good != "none" && err != nil {
					t.Error(err)
				}
				if len(net.seen) != 2 || cred.n != 2 {
					t.Errorf("%d requests, %d tokens", len(net.seen), cred.n)
				}
			})
		}
	}
}

// TestShortTokens checks that no request fails during 30 s with tokens that are valid for 2 s.
func TestShortTokens(t *testing.T) {
	environment(t)
	t.Setenv("AZURE_STORAGE_KEY", "")
	synctest.Test(t, func(t *testing.T) {
		cred := &numbered{life: 2 * time.Second}
		net := &wire{answer: func(r *http.Request) *http.Response {
			cred.mu.Lock()
			defer cred.mu.Unlock()
			if r.Header.Get("Authorization") != fmt.Sprintf("Bearer t%d", cred.n) {
				return says(r, 401, "InvalidAuthenticationInfo")
			}
			return says(r, 404, "BlobNotFound")
		}}
		s, err := Open(t.Context(), "azblob://c", Credential(cred), HTTPClient(net))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for start := time.Now(); time.Since(start) < 30*time.Second; time.Sleep(100 * time.Millisecond) {
			if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
				t.Error(err)
			}
		}
		if cred.n < 15 {
			t.Errorf("%d tokens in 30 s", cred.n)
		}
	})
}

// TestTokenServiceFails checks that fetching a token is retried if the service cannot be reached,
// like a request to the container, and that a rejection by the service is final. A service
// principal represents all of azidentity's credentials.
func TestTokenServiceFails(t *testing.T) {
	down := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, c := range []struct {
		name string
		with func(n int, r *http.Request) (*http.Response, error)
		kind error
	}{
		{"refuses connections", func(int, *http.Request) (*http.Response, error) { return nil, down }, fault.Unavailable},
		{"has no host", func(int, *http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}}
		}, fault.Refused},
		{"is out of order", func(_ int, r *http.Request) (*http.Response, error) {
			return page(r, 503, "busy"), nil
		}, fault.Unavailable},
		{"says no", func(_ int, r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Path, "openid-configuration") || strings.Contains(r.URL.Path, "instance") {
				return page(r, 200, `{"token_endpoint":"https://login.microsoftonline.com/t/oauth2/v2.0/token","authorization_endpoint":"https://login.microsoftonline.com/t/a","issuer":"https://login.microsoftonline.com/t/v2.0","tenant_discovery_endpoint":"https://login.microsoftonline.com/t/v2.0/.well-known/openid-configuration"}`), nil
			}
			return page(r, 401, `{"error":"invalid_client","error_description":"secret"}`), nil
		}, fault.Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			environment(t)
			for name, value := range map[string]string{"AZURE_STORAGE_KEY": "", "AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "i",
				"AZURE_CLIENT_SECRET": "s", "AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential"} {
				t.Setenv(name, value)
			}
			synctest.Test(t, func(t *testing.T) {
				n := 0
				asks := option(func(conf *config) {
					conf.tokenClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) { n++; return c.with(n, r) })}
				}, "asks")
				net := &wire{}
				s, err := Open(t.Context(), "azblob://c", HTTPClient(net), asks)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				start := time.Now()
				_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
				if !errors.Is(err, c.kind) || len(net.seen) != 0 || n == 0 {
					t.Errorf("asked %d times, %d requests: %v", n, len(net.seen), err)
				}
				if tried := strings.Contains(fmt.Sprint(err), "tried"); tried != (c.kind == error(fault.Unavailable)) {
					t.Errorf("tried for %v: %v", time.Since(start), err)
				}
			})
		})
	}
}

func page(r *http.Request, status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOwnCredentialFails checks that a caller's credential is called again after a transport
// failure.
func TestOwnCredentialFails(t *testing.T) {
	environment(t)
	t.Setenv("AZURE_STORAGE_KEY", "")
	synctest.Test(t, func(t *testing.T) {
		cred := &numbered{life: time.Hour, fail: func(n int) error {
			if n < 3 {
				return fmt.Errorf("metadata: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")})
			}
			return nil
		}}
		s, err := Open(t.Context(), "azblob://c", Credential(cred), HTTPClient(&wire{}))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) || cred.n != 3 {
			t.Errorf("asked %d times: %v", cred.n, err)
		}
	})
}
