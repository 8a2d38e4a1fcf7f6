package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// files serves the values of a store below /a b/, with or without ETags.
func files(values store.Store, etags bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := values.Get(r.Context(), strings.TrimPrefix(r.URL.Path, "/a b/"), store.GetOptions{}, nil)
		if err != nil {
			http.Error(w, "there is none", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		if etags {
			w.Header().Set("ETag", fmt.Sprintf("%q", v.Version))
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(v.Bytes))
	}
}

// listed is a web server's store with a listing of the values that the server serves.
type listed struct {
	store.Store
	values store.Store
}

func (l listed) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range l.values.List(ctx, prefix, o) {
			e.Version = "" // versions of values differ from ETags
			if !yield(e, err) {
				return
			}
		}
	}
}

// quiet is a writer whose versions differ from the server's.
type quiet struct{ store.Store }

func (q quiet) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	_, err := q.Store.Put(ctx, key, value, o)
	return "", err
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func once(t *testing.T, url string, opts ...Option) store.Store {
	t.Helper()
	st, err := Open(t.Context(), url, append(opts, Retry(retry.Tries(1)))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func TestStore(t *testing.T) {
	for name, etags := range map[string]bool{"etags": true, "no etags": false} {
		t.Run(name, func(t *testing.T) {
			opts := []storetest.Option{storetest.Keys(100), storetest.Rounds(3),
				storetest.Writer(func(s store.Store) store.Store { return quiet{s.(listed).values} })}
			if !etags {
				opts = append(opts, storetest.Without(storetest.Versions))
			}
			storetest.Run(t, func(t *testing.T) store.Store {
				values := mem.New()
				return listed{once(t, serve(t, files(values, etags))+"/a%20b/?sig=secret"), values}
			}, opts...)
		})
	}
}

func reply(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestErrors(t *testing.T) {
	part := store.GetOptions{Range: store.Within(2, 3)}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		key     string
		o       store.GetOptions
		want    error
	}{
		{"404", reply(404, "no"), "k", part, fault.NotFound},
		{"410", reply(410, "no"), "k", part, fault.NotFound},
		{"404 when pinned", reply(404, "no"), "k", store.GetOptions{IfVersion: `"1"`}, fault.Conflict},
		{"401", reply(401, "no"), "k", part, fault.Refused},
		{"403", reply(403, "no"), "k", part, fault.Refused},
		{"400", reply(400, "no"), "k", part, fault.Refused},
		{"429", reply(429, "no"), "k", part, fault.Throttled},
		{"503", reply(503, "no"), "k", part, fault.Throttled},
		{"500", reply(500, "no"), "k", part, fault.Unavailable},
		{"304 not asked for", reply(304, ""), "k", part, fault.Unavailable},
		{"302 without a place", reply(302, ""), "k", part, fault.Unavailable},
		{"page", reply(200, "<html>", "Content-Type", "text/html; charset=utf-8"), "c/0", store.GetOptions{}, fault.Unavailable},
		{"page for metadata", reply(200, "<html>", "Content-Type", "TEXT/HTML"), "zarr.json", store.GetOptions{}, fault.Unavailable},
		{"empty metadata", reply(200, ""), "a/.zarray", store.GetOptions{}, fault.Unavailable},
		{"encoded", reply(200, "x", "Content-Encoding", "br"), "k", store.GetOptions{}, errors.ErrUnsupported},
		{"encoded twice", reply(200, "x", "Content-Encoding", "gzip, gzip"), "k", store.GetOptions{}, errors.ErrUnsupported},
		{"not gzip", reply(200, "x", "Content-Encoding", "gzip"), "k", store.GetOptions{}, fault.Unavailable},
		{"pin ignored", reply(200, "x", "ETag", `"2"`), "k", store.GetOptions{IfVersion: `"1"`}, fault.Conflict},
		{"pin without ETag", reply(200, "x"), "k", store.GetOptions{IfVersion: `"1"`}, errors.ErrUnsupported},
		{"pin with weak ETag", reply(200, "x", "ETag", `W/"1"`), "k", store.GetOptions{IfVersion: `"1"`}, errors.ErrUnsupported},
		{"unchanged ignored", reply(200, "x", "ETag", `"1"`), "k", store.GetOptions{IfNotVersion: `"1"`}, fault.Unchanged},
		{"206 for the whole", reply(206, "234", "Content-Range", "bytes 0-2/3"), "k", store.GetOptions{}, fault.Unavailable},
		{"another part", reply(206, "345", "Content-Range", "bytes 3-5/10"), "k", part, fault.Unavailable},
		{"no Content-Range", reply(206, "234"), "k", part, fault.Unavailable},
		{"unknown size", reply(206, "234", "Content-Range", "bytes 2-4/*"), "k", part, fault.Unavailable},
		{"part of another length", reply(206, "2345", "Content-Range", "bytes 2-4/10"), "k", part, fault.Unavailable},
		{"max", reply(200, "0123456789"), "k", store.GetOptions{Max: 9}, fault.Limit},
		{"max of an announced TB", reply(206, "", "Content-Range", "bytes 0-1099511627775/1099511627776", "Content-Length", "1099511627776"),
			"k", store.GetOptions{Range: store.From(0), Max: 1 << 20}, fault.Limit},
		{"skip too far", reply(200, "", "Content-Length", "1099511627776"), "k", store.GetOptions{Range: store.Suffix(5)}, fault.Unavailable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			st := once(t, serve(t, test.handler)+"/?sig=secret")
			v, err := st.Get(t.Context(), test.key, test.o, nil)
			if !errors.Is(err, test.want) || test.want != fault.NotFound && errors.Is(err, fault.NotFound) || v.Bytes != nil {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if strings.Contains(fmt.Sprint(err), "secret") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	_, err := once(t, serve(t, reply(429, "", "Retry-After", "7"))).Get(t.Context(), "k", store.GetOptions{}, nil)
	var e *StatusError
	if !errors.As(err, &e) || e.RetryAfter() != 7*time.Second || !strings.Contains(err.Error(), "asks to wait 7s") {
		t.Errorf("got %v", err)
	}
}

// TestNobodyAnswers checks that the error for an unreachable server does not reveal the parameters.
func TestNobodyAnswers(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	_, err := once(t, gone.URL+"/?sig=secret").Get(t.Context(), "k", store.GetOptions{}, nil)
	if !errors.Is(err, fault.Unavailable) || strings.Contains(fmt.Sprint(err), "secret") {
		t.Error(err)
	}
}

// TestIgnoredRanges checks that the selected range is extracted from the whole value if a server
// ignores ranges.
func TestIgnoredRanges(t *testing.T) {
	st := once(t, serve(t, reply(200, "0123456789")))
	for _, r := range []store.Range{store.Within(2, 3), store.From(4), store.Suffix(1)} {
		off, n, _ := r.Resolve(10)
		v, err := st.Get(t.Context(), "k", store.GetOptions{Range: r}, nil)
		if err != nil || string(v.Bytes) != "0123456789"[off:off+n] || v.Size != 10 {
			t.Errorf("%v: %q of %d, %v", r, v.Bytes, v.Size, err)
		}
	}
}

// TestCut checks that a body that ends early is reported as truncated, and resumed at that byte.
func TestCut(t *testing.T) {
	value := bytes.Repeat([]byte("0123456789"), 100)
	var n atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if n.Add(1) == 1 {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(value[:300])
			return
		}
		if r.Header.Get("Range") != "bytes=300-999" || r.Header.Get("If-Match") != `"1"` {
			t.Errorf("goes on with %v", r.Header)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(value))
	})
	_, err := once(t, url).Get(t.Context(), "k", store.GetOptions{}, nil)
	var cut *store.TruncatedError
	if !errors.Is(err, fault.Unavailable) || !errors.As(err, &cut) || len(cut.Value.Bytes) != 300 || cut.Want != 1000 {
		t.Errorf("got %v", err)
	}
	n.Store(0)
	st, err := Open(t.Context(), url, Retry(retry.Backoff(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := st.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || !bytes.Equal(v.Bytes, value) {
		t.Errorf("%d bytes, %v", len(v.Bytes), err)
	}
}

// TestRedirects checks that after a redirect another host gets neither the headers nor a Referer,
// and that the same host gets the headers.
func TestRedirects(t *testing.T) {
	var got http.Header
	var query string
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, query = r.Header.Clone(), r.URL.RawQuery
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("0123456789"))
	})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away/k":
			http.Redirect(w, r, other+"/k", http.StatusFound)
		case "/here/k":
			http.Redirect(w, r, "/final", http.StatusFound)
		case "/loop/k":
			http.Redirect(w, r, "/loop/k", http.StatusFound)
		default:
			got, query = r.Header.Clone(), r.URL.RawQuery
			_, _ = w.Write([]byte("0123456789"))
		}
	})
	o := store.GetOptions{Range: store.Within(1, 2)}
	for path, want := range map[string]string{"/away": "", "/here": "Bearer secret"} {
		st := once(t, url+path+"?sig=secret", Header("authorization", "Bearer secret"), Header("X-Api-Key", "Bearer secret"))
		v, err := st.Get(t.Context(), "k", o, nil)
		if err != nil || string(v.Bytes) != "12" || got.Get("Range") == "" {
			t.Errorf("%s: %q, %v", path, v.Bytes, err)
		}
		if got.Get("Authorization") != want || got.Get("X-Api-Key") != want || got.Get("Referer") != "" || query != "" {
			t.Errorf("%s: the last host got %v and parameters %q", path, got, query)
		}
	}
	if _, err := once(t, url+"/loop").Get(t.Context(), "k", o, nil); !errors.Is(err, fault.Unavailable) {
		t.Errorf("in a circle: %v", err)
	}
}

// TestChangesAreReadOnly checks that changes on a server without ETags fail because it is
// read-only, and not for lack of versions.
func TestChangesAreReadOnly(t *testing.T) {
	values := mem.New()
	made, err := zarr.Create(t.Context(), values, "a", zarr.Spec{Shape: []int{4}, DType: dtype.Float32})
	if err == nil {
		err = zarr.Write(t.Context(), made, []float32{1, 2, 3, 4})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, etags := range []bool{true, false} {
		st := once(t, serve(t, files(values, etags))+"/a%20b/")
		a, err := zarr.OpenArray(t.Context(), st, "a")
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.SetAttrs(t.Context(), map[string]any{"units": "K"})
		fake.WantKind(t, err, fault.ReadOnly)
		fake.WantKind(t, zarr.Write(t.Context(), a, []float32{1, 2}, zarr.Range(1, 3)), fault.ReadOnly)
	}
}

// TestRedirectToPlainHTTP checks that redirects from https to http are refused, even to the same
// host.
func TestRedirectToPlainHTTP(t *testing.T) {
	var asked atomic.Int64
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte("0123456789"))
	})
	tls := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain+"/k", http.StatusFound)
	}))
	defer tls.Close()
	st := once(t, tls.URL+"/?sig=secret", Transport(tls.Client().Transport), Header("Authorization", "Bearer secret"))
	_, err := st.Get(t.Context(), "k", store.GetOptions{}, nil)
	if !errors.Is(err, fault.Refused) || !strings.Contains(fmt.Sprint(err), "https") || strings.Contains(fmt.Sprint(err), "secret") {
		t.Errorf("got %v", err)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests in the clear", n)
	}
}

const proxyChild = "ZARGO_TEST_HTTP_PROXY_CHILD"

// TestMain starts a proxy test in a new process, because net/http reads the proxy variables once
// per process.
func TestMain(m *testing.M) {
	if os.Getenv(proxyChild) == "" {
		os.Exit(m.Run())
	}
	st, err := Open(context.Background(), "http://zarr.invalid/root?sig=secret", Header("Authorization", "Bearer secret"))
	if err == nil {
		var v store.Value
		v, err = st.Get(context.Background(), "k", store.GetOptions{}, nil)
		fmt.Printf("%s", v.Bytes)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestProxy checks that the proxy of the environment is used.
func TestProxy(t *testing.T) {
	asked := make(chan string, 10)
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.String() + " " + r.Header.Get("Authorization")
		_, _ = w.Write([]byte("by proxy"))
	})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), proxyChild+"=1", "HTTP_PROXY="+proxy, "http_proxy="+proxy, "NO_PROXY=", "no_proxy=")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "by proxy" {
		t.Fatalf("got %q, %v", out, err)
	}
	if got := <-asked; got != "GET http://zarr.invalid/root/k?sig=secret Bearer secret" || len(asked) != 0 {
		t.Errorf("the proxy was asked %q, and %d times more", got, len(asked))
	}
}

func TestParametersGoAlong(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.RequestURI())) })
	st := once(t, url+"/x%2Fy/?sig=a%2Bb&v=1")
	v, err := st.Get(t.Context(), "100%/c?#", store.GetOptions{}, nil)
	if err != nil || string(v.Bytes) != "/x%2Fy/100%25/c%3F%23?sig=a%2Bb&v=1" {
		t.Errorf("%s, %v", v.Bytes, err)
	}
	if strings.Contains(store.Name(st), "sig") {
		t.Errorf("name %s", store.Name(st))
	}
}

func TestUsage(t *testing.T) {
	for _, url := range []string{"ftp://h/x", "https://u:secret@h/x", "https:///x", "https://h/x#f", "https://h/%zz?secret", "h/x"} {
		_, err := Open(t.Context(), url)
		var u *UsageError
		if !errors.As(err, &u) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, o := range []Option{Header("Range", "x"), Header("a b", "x"), Header("A", "x\r\ny"), MaxInFlight(-1)} {
		var u *UsageError
		if _, err := Open(t.Context(), "https://h", o); !errors.As(err, &u) {
			t.Errorf("%v: %v", o, err)
		}
	}
}

func TestNoListing(t *testing.T) {
	for _, err := range once(t, "http://127.0.0.1:1").List(t.Context(), "", store.ListOptions{}) {
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "consolidated") {
			t.Errorf("got %v", err)
		}
	}
}

func ExampleOpen() {
	srv := httptest.NewServer(reply(200, "{}"))
	defer srv.Close()
	st, err := Open(context.Background(), srv.URL+"/root.zarr?token=secret")
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := st.Get(context.Background(), "zarr.json", store.GetOptions{}, nil)
	fmt.Println(string(v.Bytes), err)
	// Output: {} <nil>
}
