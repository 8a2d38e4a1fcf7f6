package openurl

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// read opens a URL and returns the value of a key.
func read(t *testing.T, m Mux, url, key string) string {
	t.Helper()
	st, err := m.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(v.Bytes)
}

// fileURL returns the URL of a path.
func fileURL(path string) string {
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

func TestBuiltin(t *testing.T) {
	root := t.TempDir()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("in/it/key")
	if err == nil {
		_, err = f.Write([]byte("zipped"))
	}
	if err := errors.Join(err, w.Close(), os.WriteFile(filepath.Join(root, "a.zip"), b.Bytes(), 0o666), os.WriteFile(filepath.Join(root, "key"), []byte("value"), 0o666)); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.FileServer(http.Dir(root)))
	defer srv.Close()
	m := Builtin()
	for _, key := range []string{"a.zip", "deep/key"} {
		st, err := m.Open(t.Context(), "mem://m")
		if err == nil {
			_, err = st.Put(t.Context(), key, b.Bytes(), store.PutOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []struct{ name, url, want string }{
		{"path", root, "value"},
		{"file", fileURL(root), "value"},
		{"web", srv.URL, "value"},
		{"memory", "mem://m/deep", b.String()},
		{"archive in a directory", filepath.Join(root, "a.zip") + "|zip:in/it", "zipped"},
		{"archive by URL", fileURL(root) + "/a.zip|zip:/in/it/", "zipped"},
		{"archive on the web", srv.URL + "/a.zip?x=y|zip:in/it", "zipped"},
		{"archive in memory", "mem://m/a.zip|zip:in/it", "zipped"},
	} {
		t.Run(r.name, func(t *testing.T) {
			if got := read(t, m, r.url, "key"); got != r.want {
				t.Errorf("%q, want %q", got, r.want)
			}
		})
	}
	if st, err := Builtin().Open(t.Context(), "mem://m"); err != nil {
		t.Error(err)
	} else if _, err := st.Get(t.Context(), "a.zip", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Errorf("another Builtin has the same memory: %v", err)
	}
	if _, err := m.Open(t.Context(), filepath.Join(root, "none.zip")+"|zip:x"); !errors.Is(err, fault.NotFound) {
		t.Errorf("no archive: %v", err)
	}
}

// option is the option type of a provider.
type option int

func TestWith(t *testing.T) {
	var got string
	var with []option
	open := func(_ context.Context, url string, opts ...option) (store.Store, error) {
		got, with = url, opts
		return nil, fault.Refused
	}
	m := Mux{"s3": With(open, 7, 9), "azblob": With(open)}
	for _, r := range []struct{ name, text, want string }{
		{"whole", "S3://b/a%20b?region=r&x=%2F", "s3://b/a%20b?region=r&x=%2F"},
		{"another form", "abfss://c@acct.dfs.core.windows.net/k?anonymous=true", "azblob://c/k?storage_account=acct&anonymous=true"},
		{"around an archive", "s3://b/f/a.zip?region=r|zip:x", "s3://b/f?region=r"},
	} {
		t.Run(r.name, func(t *testing.T) {
			_, err := m.Open(t.Context(), r.text)
			if !errors.Is(err, fault.Refused) || got != r.want || len(with) == 0 != strings.HasPrefix(got, "az") {
				t.Errorf("%q with %v, %v; want %q", got, with, err, r.want)
			}
		})
	}
}

// TestSignedForAzure checks that an Azure URL with a SAS token is opened by azblob unchanged, and
// that azblob opens all Azure URLs if the Mux has no https.
func TestSignedForAzure(t *testing.T) {
	mark := func(name string) Opener {
		return func(_ context.Context, l Location) (store.Store, error) {
			return nil, fault.Newf(fault.Refused, "%s %s", name, l.URL())
		}
	}
	both := Mux{"https": mark("web"), "azblob": mark("azure")}
	for _, r := range []struct {
		name, text, want string
		m                Mux
	}{
		{"signed", "https://acct.blob.core.windows.net/c/k?sv=1&sig=x", "azure https://acct.blob.core.windows.net/c/k?sv=1&sig=x", both},
		{"public", "https://acct.blob.core.windows.net/c/k", "web https://acct.blob.core.windows.net/c/k", both},
		{"elsewhere", "https://acct.example/c/k?sig=x", "web https://acct.example/c/k?sig=x", both},
		{"no web servers", "https://acct.blob.core.windows.net/c/k", "azure https://acct.blob.core.windows.net/c/k", Mux{"azblob": mark("azure")}},
		{"no Azure", "https://acct.blob.core.windows.net/c/k?sig=x", "web https://acct.blob.core.windows.net/c/k?sig=x", Mux{"https": mark("web")}},
		{"archive", "https://acct.blob.core.windows.net/c/f/a.zip?sig=x|zip:k", "azure https://acct.blob.core.windows.net/c/f?sig=x", both},
	} {
		t.Run(r.name, func(t *testing.T) {
			if _, err := r.m.Open(t.Context(), r.text); err == nil || !strings.HasSuffix(err.Error(), ": "+r.want) {
				t.Errorf("%v, want %s", err, r.want)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	never := func(context.Context, Location) (store.Store, error) { panic("opened") }
	m := Mux{"file": never, "s3": never}
	for _, r := range []struct {
		name, text string
		is         error // nil is a *SyntaxError
		words      []string
	}{
		{"unknown scheme", "ftp://host/secret?token=hidden", errors.ErrUnsupported, []string{`"ftp"`, "a path, file, s3"}},
		{"left out", "abfss://c@acct.dfs.core.windows.net/k", errors.ErrUnsupported, []string{`"azblob"`}},
		{"web server left out", "https://host/x", errors.ErrUnsupported, []string{`"https"`, "s3"}},
		{"two archives", "s3://b/a.zip|zip:x|zip:y", errors.ErrUnsupported, []string{"one zip archive"}},
		{"another archive", "s3://b/a.tar|tar:x", errors.ErrUnsupported, []string{"|tar:"}},
		{"one slash", "s3:/b/k", nil, []string{"s3://", "./s3:"}},
		{"no slash", "S3:b/k", nil, []string{"s3://"}},
		{"unsafe", "s3://b/../k", fault.Path, nil},
		{"no bucket", "s3://", nil, []string{"bucket"}},
		{"password", "s3://id:hidden@b/k", nil, []string{"password"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			_, err := m.Open(t.Context(), r.text)
			var wrong *SyntaxError
			if r.is == nil && !errors.As(err, &wrong) || r.is != nil && !errors.Is(err, r.is) {
				t.Fatalf("%v, want %v", err, r.is)
			}
			for _, w := range r.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v does not say %q", err, w)
				}
			}
			if strings.Contains(err.Error(), "hidden") {
				t.Errorf("a secret shows: %v", err)
			}
		})
	}
	if _, err := m.OpenLocation(t.Context(), Location{Scheme: "gs", Host: "b"}); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

func TestParent(t *testing.T) {
	for _, r := range []struct {
		name, text, want string
		ok               bool
	}{
		{"key", "s3://b/a/b?region=r", "s3://b/a?region=r", true},
		{"first", "s3://b/a", "s3://b", true},
		{"bucket", "s3://b", "s3://b", false},
		{"relative path", "a", ".", true},
		{"here", ".", ".", false},
		{"root", "/", "/", false},
	} {
		if runtime.GOOS == "windows" && r.want == "/" {
			continue // it contains drives
		}
		t.Run(r.name, func(t *testing.T) {
			l, err := Parse(r.text)
			if err != nil {
				t.Fatal(err)
			}
			if up, ok := l.Parent(); up.URL() != r.want || ok != r.ok {
				t.Errorf("%q, %v", up.URL(), ok)
			}
		})
	}
}

func TestNative(t *testing.T) {
	for _, r := range []struct{ text, want string }{
		{"https://acct.blob.core.windows.net/c/a/b?sig=secret", "azblob://c/a/b?storage_account=acct"},
		{"https://acct.dfs.core.windows.net/c", "azblob://c?storage_account=acct"},
		{"https://acct.blob.core.chinacloudapi.cn/c/x", "azblob://c/x?storage_account=acct&domain=blob.core.chinacloudapi.cn"},
		{"https://acct.blob.core.windows.net", ""},
		{"https://storage.googleapis.com/b/a/b", "gs://b/a/b"},
		{"https://b.s3.eu-central-1.amazonaws.com/a/b", "s3://b/a/b?region=eu-central-1"},
		{"https://b.with.dots.s3.amazonaws.com/a", "s3://b.with.dots/a"},
		{"https://s3.us-west-2.amazonaws.com/b/a", "s3://b/a?region=us-west-2"},
		{"https://s3-us-west-2.amazonaws.com/b/a", "s3://b/a?region=us-west-2"},
		{"https://s3.amazonaws.com/b/a|zip:x", "s3://b/a|zip:x"},
		{"https://ec2.eu-central-1.amazonaws.com/b", ""},
		{"https://example.org/b/a", ""},
		{"http://acct.blob.core.windows.net/c", ""},
		{"s3://b/a", ""},
	} {
		t.Run(r.text, func(t *testing.T) {
			l, err := Parse(r.text)
			if err != nil {
				t.Fatal(err)
			}
			if n, ok := l.Native(); ok != (r.want != "") || ok && n.URL() != r.want {
				t.Errorf("%q, %v; want %q", n.URL(), ok, r.want)
			}
		})
	}
}
