package gcs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// wire replaces the network. It sends nothing.
type wire struct {
	answer func(r *http.Request) (*http.Response, error)

	mu   sync.Mutex
	seen []*http.Request
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	w.mu.Lock()
	w.seen = append(w.seen, r)
	w.mu.Unlock()
	if w.answer != nil {
		return w.answer(r)
	}
	return answers(r, 404, xmlError("NoSuchKey", "m")), nil
}

func answers(r *http.Request, status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}
}

// over sets the transports of objects and of tokens.
func over(objects, tokens http.RoundTripper) Option {
	return option(func(c *config) {
		c.under = objects
		if tokens != nil {
			c.tokenClient = &http.Client{Transport: tokens}
		}
	}, "over")
}

// login writes application default credentials of a user, of the given universe or without a
// universe.
func login(t *testing.T, universe string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "adc.json")
	text := `{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"`
	if universe != "" {
		text += `,"universe_domain":"` + universe + `"`
	}
	if err := os.WriteFile(file, []byte(text+"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
}

// issuer returns the tokens t1, t2, … with the lifetime life.
type issuer struct {
	life time.Duration
	fail func(n int) error // of the nth request

	mu     sync.Mutex
	issued int
	hosts  []string
}

func (i *issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.hosts = append(i.hosts, r.URL.Host)
	if i.fail != nil {
		if err := i.fail(len(i.hosts)); err != nil {
			return nil, err
		}
	}
	i.issued++
	return answers(r, 200, fmt.Sprintf(`{"access_token":"t%d","token_type":"Bearer","expires_in":%d}`, i.issued, int(i.life.Seconds()))), nil
}

// TestTokensGoToTrustedHosts checks that tokens are sent to Google, to this machine, and to hosts
// configured outside the URL.
func TestTokensGoToTrustedHosts(t *testing.T) {
	type env map[string]string
	const refused, anonymous = "refused", "anonymous"
	for _, c := range []struct {
		name string
		url  string
		env  env
		opts []Option
		want string // the host that receives the token, or one of the two words
	}{
		{"Google", "gs://b", nil, nil, "storage.googleapis.com"},
		{"Google, as others write it", "gcs://b", nil, nil, "storage.googleapis.com"},
		{"a host of Google's", "gs://b?endpoint=https://storage-x.p.googleapis.com", nil, nil, "storage-x.p.googleapis.com"},
		{"regional", "gs://b?endpoint=storage.europe-west3.rep.googleapis.com", nil, nil, "storage.europe-west3.rep.googleapis.com"},
		{"another host", "gs://b?endpoint=https://evil.example", nil, nil, refused},
		{"another host without scheme", "gs://b?endpoint=evil.example", nil, nil, refused},
		{"another port of another host", "gs://b?endpoint=https://evil.example:443", nil, nil, refused},
		{"a host that looks like Google's", "gs://b?endpoint=https://storage.googleapis.com.evil.example", nil, nil, refused},
		{"a host that ends like Google's", "gs://b?endpoint=https://evilgoogleapis.com", nil, nil, refused},
		{"an address", "gs://b?endpoint=https://203.0.113.1", nil, nil, refused},
		{"a private address", "gs://b?endpoint=https://10.0.0.1", nil, nil, refused},
		{"a host that looks like this machine", "gs://b?endpoint=https://localhost.evil.example", nil, nil, refused},
		{"this machine", "gs://b?endpoint=https://127.0.0.1:4443", nil, nil, "127.0.0.1:4443"},
		{"in the clear", "gs://b?endpoint=http://storage.googleapis.com", nil, nil, anonymous},
		{"in the clear, another host", "gs://b?endpoint=http://evil.example", nil, nil, anonymous},
		{"in the clear, with a token", "gs://b?endpoint=http://storage.googleapis.com", nil, []Option{TokenSource(static("t1"))}, refused},
		{"in the clear, with a token, by option", "gs://b", nil, []Option{TokenSource(static("t1")), Endpoint("http://storage.example")}, refused},
		{"this machine in the clear, with a token", "gs://b?endpoint=http://127.0.0.1:4443", nil, []Option{TokenSource(static("t1"))}, "127.0.0.1:4443"},
		{"another host, with a token", "gs://b?endpoint=https://evil.example", nil, []Option{TokenSource(static("t1"))}, refused},
		{"another host, with a client", "gs://b?endpoint=https://evil.example", nil, []Option{HTTPClient(http.DefaultClient)}, refused},
		{"another host, anonymously", "gs://b?endpoint=https://evil.example&anonymous=true", nil, nil, anonymous},
		{"an option names it", "gs://b", nil, []Option{Endpoint("https://storage.example:8443")}, "storage.example:8443"},
		{"an option over the URL", "gs://b?endpoint=https://evil.example", nil, []Option{Endpoint("https://storage.example")}, "storage.example"},
		{"an option trusts it", "gs://b?endpoint=https://eu.storage.example", nil, []Option{TrustHost("storage.example")}, "eu.storage.example"},
		{"an option trusts another", "gs://b?endpoint=https://evil.example", nil, []Option{TrustHost("storage.example")}, refused},
		{"a variable trusts it", "gs://b?endpoint=https://storage.example", env{provider.TrustVariable: "a.example, storage.example"}, nil, "storage.example"},
		{"an emulator of a variable", "gs://b", env{"STORAGE_EMULATOR_HOST": "storage.example:4443"}, nil, anonymous},
		{"a universe of the URL", "gs://b?universe_domain=evil.example", nil, nil, refused},
		{"a universe of the URL, with a token", "gs://b?universe_domain=evil.example", nil, []Option{TokenSource(static("t1"))}, refused},
		{"a universe of the URL, anonymously", "gs://b?universe_domain=evil.example&anonymous=true", nil, nil, anonymous},
		{"Google's universe of the URL", "gs://b?universe_domain=googleapis.com", nil, nil, "storage.googleapis.com"},
		{"a universe of an option", "gs://b", nil, []Option{UniverseDomain("cloud.example")}, "storage.cloud.example"},
		{"a universe that an option trusts", "gs://b?universe_domain=cloud.example", nil, []Option{TrustHost("cloud.example")}, "storage.cloud.example"},
		{"a universe of a variable", "gs://b?universe_domain=cloud.example", env{"GOOGLE_CLOUD_UNIVERSE_DOMAIN": "cloud.example"}, nil, "storage.cloud.example"},
		{"a universe of the credentials", "gs://b?universe_domain=cloud.example", env{"universe": "cloud.example"}, nil, "storage.cloud.example"},
		{"the credentials' universe, unasked", "gs://b", env{"universe": "cloud.example"}, nil, "storage.cloud.example"},
		{"another universe than the credentials'", "gs://b?universe_domain=evil.example", env{"universe": "cloud.example"}, nil, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			noEnvironment(t)
			login(t, c.env["universe"])
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			net, tokens := &wire{}, &issuer{life: time.Hour}
			s, err := Open(t.Context(), c.url, append(c.opts, over(net, tokens))...)
			if err == nil {
				defer s.Close()
				_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
				_ = s.Delete(t.Context(), "k", store.DeleteOptions{})
				_, _ = s.Put(t.Context(), "k", []byte("v"), store.PutOptions{})
			}
			var u *UsageError
			switch {
			case c.want == refused:
				if !errors.As(err, &u) || len(net.seen) != 0 || !strings.Contains(err.Error(), "gcs.") && !strings.Contains(err.Error(), "clear") {
					t.Errorf("%d requests, %v", len(net.seen), err)
				}
			case !errors.Is(err, fault.NotFound) || len(net.seen) != 3:
				t.Errorf("%d requests, %v", len(net.seen), err)
			}
			for _, r := range net.seen {
				switch got := r.Header.Get("Authorization"); {
				case c.want == anonymous && got != "":
					t.Errorf("%s was sent to %s", got, r.URL)
				case c.want != anonymous && (got != "Bearer t1" || r.URL.Host != c.want):
					t.Errorf("%q was sent to %s, want %s", got, r.URL, c.want)
				}
			}
			if err != nil && c.want == refused && strings.Count(err.Error(), "evil.example") > 1 {
				t.Errorf("the host is printed more than once: %v", err)
			}
		})
	}
}

// TestClientOfTheStoreKeepsTokens checks that the SDK's client sends tokens only to trusted hosts,
// although it sends requests to any host. A server may redirect an upload to another host.
func TestClientOfTheStoreKeepsTokens(t *testing.T) {
	noEnvironment(t)
	b := &bearer{tokens: &tokens{fetch: fromSource(static("t1"))}, hosts: provider.Hosts{"googleapis.com"}, next: &wire{}}
	for _, to := range []string{"https://evil.example/upload", "http://storage.googleapis.com/upload"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, to, strings.NewReader("v"))
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := b.RoundTrip(r); err == nil {
			_ = resp.Body.Close()
			t.Errorf("a token was sent to %s", to)
		}
	}
}

func static(value string) oauth2.TokenSource {
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: value})
}

// TestReadOnly checks that with ReadOnly the token can only read, and writes fail without a
// request.
func TestReadOnly(t *testing.T) {
	noEnvironment(t)
	for _, c := range []struct {
		name, url string
		opts      []Option
		scope     string
	}{
		{"reading and writing", "gs://b", nil, "https://www.googleapis.com/auth/devstorage.read_write"},
		{"parameter", "gs://b?readonly=true", nil, "https://www.googleapis.com/auth/devstorage.read_only"},
		{"option", "gs://b", []Option{ReadOnly()}, "https://www.googleapis.com/auth/devstorage.read_only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			login(t, "")
			conf := &config{}
			if err := conf.read(c.url, c.opts); err != nil || conf.scope() != c.scope {
				t.Errorf("scope %s, %v", conf.scope(), err)
			}
			s := open(t, c.url, append(c.opts, over(&wire{}, &issuer{life: time.Hour}))...)
			_, err := s.Put(t.Context(), "k", nil, store.PutOptions{})
			if errors.Is(err, fault.ReadOnly) != conf.stack.ReadOnly || store.IsReadOnly(s) != conf.stack.ReadOnly {
				t.Error(err)
			}
		})
	}
}

// TestShortTokens checks that no request fails during 30 s with tokens that are valid for 2 s, and
// that tokens are fetched only when needed.
func TestShortTokens(t *testing.T) {
	noEnvironment(t)
	login(t, "")
	synctest.Test(t, func(t *testing.T) {
		tokens := &issuer{life: 2 * time.Second}
		net := &wire{answer: func(r *http.Request) (*http.Response, error) {
			tokens.mu.Lock()
			defer tokens.mu.Unlock()
			if r.Header.Get("Authorization") != fmt.Sprintf("Bearer t%d", tokens.issued) {
				return answers(r, 401, xmlError("AuthenticationRequired", "expired")), nil
			}
			return answers(r, 404, xmlError("NoSuchKey", "m")), nil
		}}
		s, err := Open(t.Context(), "gs://b", over(net, tokens))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for start := time.Now(); time.Since(start) < 30*time.Second; time.Sleep(100 * time.Millisecond) {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if _, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		if n := len(tokens.hosts); n < 15 || n > 18 {
			t.Errorf("%d tokens were fetched in 30 s", n)
		}
	})
}

// TestRevokedToken checks that a token that is rejected before its expiry is replaced once, and the
// request is sent again with its value.
func TestRevokedToken(t *testing.T) {
	noEnvironment(t)
	login(t, "")
	verbs := map[string]func(store.Store) error{
		"get": func(s store.Store) error {
			_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
			if errors.Is(err, fault.NotFound) {
				return nil
			}
			return err
		},
		"put": func(s store.Store) error {
			_, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true})
			return err
		},
		"delete": func(s store.Store) error { return s.Delete(t.Context(), "k", store.DeleteOptions{}) },
		"list": func(s store.Store) error {
			for _, err := range s.List(t.Context(), "", store.ListOptions{}) {
				return err
			}
			return nil
		},
	}
	for verb, do := range verbs {
		for _, good := range []string{"Bearer t2", "none"} {
			t.Run(verb+" "+good, func(t *testing.T) {
				tokens := &issuer{life: time.Hour}
				net := &wire{answer: func(r *http.Request) (*http.Response, error) {
					switch {
					case r.Header.Get("Authorization") != good:
						return answers(r, 401, jsonError(401, "authError", "Invalid Credentials")), nil
					case r.Method == "POST":
						return answers(r, 200, `{"name":"k","generation":"5"}`), nil
					case r.Method == "DELETE":
						return answers(r, 204, ""), nil
					case strings.HasSuffix(r.URL.Path, "/o"):
						return answers(r, 200, `{}`), nil
					}
					return answers(r, 404, xmlError("NoSuchKey", "m")), nil
				}}
				err := do(bare(t, "gs://b", over(net, tokens)))
				if good == "none" && !errors.Is(err, fault.Refused) || good != "none" && err != nil {
					t.Error(err)
				}
				if len(net.seen) != 2 || tokens.issued != 2 {
					t.Errorf("%d requests, %d tokens", len(net.seen), tokens.issued)
				}
			})
		}
	}
}

// TestTokenServiceFails checks that fetching a token is retried if the service cannot be reached,
// like a request to the bucket, and that a rejection by the service is final.
func TestTokenServiceFails(t *testing.T) {
	noEnvironment(t)
	login(t, "")
	down := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, c := range []struct {
		name  string
		fails int // failing requests
		with  func(r *http.Request) (*http.Response, error)
		kind  error // nil for success
		asked int   // minimum number of requests
	}{
		{"refuses two connections", 2, func(*http.Request) (*http.Response, error) { return nil, down }, nil, 3},
		{"refuses connections", 1000, func(*http.Request) (*http.Response, error) { return nil, down }, fault.Unavailable, 4},
		{"has no host", 1000, func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}}
		}, fault.Refused, 1},
		{"is out of order", 2, func(r *http.Request) (*http.Response, error) { return answers(r, 503, "busy"), nil }, nil, 3},
		{"says no", 1000, func(r *http.Request) (*http.Response, error) {
			return answers(r, 400, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`), nil
		}, fault.Refused, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				good := &issuer{life: time.Hour}
				var asked int
				tokens := roundTrip(func(r *http.Request) (*http.Response, error) {
					if asked++; asked <= c.fails {
						return c.with(r)
					}
					return good.RoundTrip(r)
				})
				s, err := Open(t.Context(), "gs://b", over(&wire{}, tokens))
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				_, err = s.Get(t.Context(), "k", store.GetOptions{}, nil)
				if c.kind == nil {
					c.kind = fault.NotFound
				}
				if !errors.Is(err, c.kind) || asked < c.asked {
					t.Errorf("asked %d times: %v", asked, err)
				}
				if errors.Is(err, fault.Refused) && asked > 1 {
					t.Errorf("asked %d times", asked)
				}
			})
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestTokensHang checks that a caller does not wait longer than its context allows for a token
// service or source that does not respond.
func TestTokensHang(t *testing.T) {
	noEnvironment(t)
	login(t, "")
	hangs := roundTrip(func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() })
	for name, opts := range map[string]func(end chan struct{}) []Option{
		"service": func(chan struct{}) []Option { return []Option{over(&wire{}, hangs)} },
		"source": func(end chan struct{}) []Option {
			return []Option{TokenSource(sourceFunc(func() (*oauth2.Token, error) { <-end; return nil, errors.New("late") })), over(&wire{}, nil)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				end := make(chan struct{})
				defer close(end)
				s, err := Open(t.Context(), "gs://b", opts(end)...)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				if _, err := s.Get(ctx, "k", store.GetOptions{}, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
			})
		})
	}
}

type sourceFunc func() (*oauth2.Token, error)

func (f sourceFunc) Token() (*oauth2.Token, error) { return f() }

// TestEndpointEscapes checks that an emulator's URL in a parameter may be printed, and that the
// trusted hosts are read when the store is opened.
func TestEndpointEscapes(t *testing.T) {
	noEnvironment(t)
	t.Setenv(provider.TrustVariable, "storage.example")
	login(t, "")
	open(t, "gs://b?endpoint="+url.QueryEscape("https://storage.example"), over(&wire{}, &issuer{life: time.Hour}))
}
