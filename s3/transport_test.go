package s3

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestConnections checks that there are as many connections as requests in flight.
func TestConnections(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Set("k", object{value: make([]byte, 1000), etag: `"v"`})
	fake.Connections(t, f.Server, open(t, f.At(""), MaxInFlight(fake.InFlight)))
}

// TestCloseClosesConnections checks that Close closes idle connections and those in use.
func TestCloseClosesConnections(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	started, hang := make(chan struct{}), make(chan struct{})
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/zarr-test/hangs" {
			return false
		}
		close(started)
		<-hang
		return true
	})
	s := open(t, f.At(""))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { _, _ = s.Put(t.Context(), fmt.Sprint(i), nil, store.PutOptions{}) })
	}
	wg.Wait()
	failed := make(chan error)
	go func() {
		_, err := s.Get(t.Context(), "hangs", store.GetOptions{}, nil)
		failed <- err
	}()
	<-started
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("a read went on after Close")
	}
	close(hang)
	f.AllClosed()
}

// TestMaxInFlight checks that the number of requests in flight never exceeds the limit, over all
// callers.
func TestMaxInFlight(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	var now, peak atomic.Int64
	full := make(chan struct{})
	f.Answer(func(http.ResponseWriter, *http.Request) bool {
		n := now.Add(1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		if n == 5 {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		<-full // the first five wait for each other, which five in flight can do
		now.Add(-1)
		return false
	})
	s := open(t, f.At(""), MaxInFlight(5))
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if _, err := s.Put(t.Context(), fmt.Sprint(i), []byte("v"), store.PutOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if p := peak.Load(); p != 5 {
		t.Errorf("%d requests at once, want 5", p)
	}
}

// TestWritesKeepTheConnection checks that consecutive writes reuse one connection.
func TestWritesKeepTheConnection(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	keys := make([]string, 300)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
	}
	for range 50 {
		succeed(t, store.DeleteAll(t.Context(), s, keys))
		if _, err := s.Put(t.Context(), "k", make([]byte, 10_000), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.Conns(); n > 3 {
		t.Errorf("100 writes, one after the other, opened %d connections", n)
	}
}

func TestTransport(t *testing.T) {
	tr := transport(16).GetTransport()
	if tr.MaxConnsPerHost != 16 || !tr.DisableCompression || tr.Proxy == nil || tr.TLSClientConfig.MinVersion == 0 {
		t.Errorf("%+v", tr)
	}
}

func TestCABundle(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	srv := httptest.NewUnstartedServer(f)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // logs aborted handshakes
	srv.StartTLS()
	defer srv.Close()
	at := "s3://zarr-test?use_path_style=true&region=us-east-1&endpoint=" + url.QueryEscape(srv.URL)

	_, err := bare(t, at).Get(t.Context(), "k", store.GetOptions{}, nil)
	fake.WantKind(t, err, fault.Refused)

	file := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	succeed(t, os.WriteFile(file, cert, 0o600))
	t.Setenv("AWS_CA_BUNDLE", file)
	s := bare(t, at)
	if _, err := s.Put(t.Context(), "k", []byte("over TLS"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "over TLS" {
		t.Errorf("got %q, %v", v.Bytes, err)
	}
}

const proxyChild = "ZARGO_TEST_S3_PROXY_CHILD"

// TestMain runs TestProxy in its own process, because net/http reads the proxy variables once per
// process.
func TestMain(m *testing.M) {
	if os.Getenv(proxyChild) == "" {
		os.Exit(m.Run())
	}
	s, err := Open(context.Background(), "s3://zarr-test?use_path_style=true&region=us-east-1")
	if err == nil {
		var v store.Value
		v, err = s.Get(context.Background(), "k", store.GetOptions{}, nil)
		fmt.Printf("%s", v.Bytes)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func TestProxy(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	f.Set("k", object{value: []byte("by proxy"), etag: `"v"`})
	var mu sync.Mutex
	var hosts []string
	f.Answer(func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		hosts = append(hosts, r.Host)
		return false
	})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), proxyChild+"=1", "AWS_ENDPOINT_URL_S3=http://s3.invalid", "HTTP_PROXY="+f.URL, "http_proxy="+f.URL, "NO_PROXY=", "no_proxy=")
	out, err := cmd.CombinedOutput()
	mu.Lock()
	defer mu.Unlock()
	if err != nil || string(out) != "by proxy" || strings.Join(hosts, " ") != "s3.invalid" {
		t.Errorf("got %q, %v, asked for hosts %q", out, err, hosts)
	}
}

// TestSlowCommit checks that the completion of an upload may take longer than other requests.
func TestSlowCommit(t *testing.T) {
	f := NewFake(t)
	synctest.Test(t, func(t *testing.T) {
		const stall = time.Second
		opts := []Option{HTTPClient(slowCommits{f, 3 * stall}), StallTimeout(stall), Retry(retry.Tries(1))}
		s := open(t, "s3://zarr-test?region=us-east-1&use_path_style=true&anonymous=true", opts...)
		p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
		if err == nil {
			err = p.Part(t.Context(), 0, []byte("value"))
		}
		start := time.Now()
		if err == nil {
			_, err = p.Commit(t.Context(), store.PutOptions{})
		}
		if took := time.Since(start); err != nil || took < 3*stall {
			t.Error(took, err)
		}
	})
}

// slowCommits calls a handler instead of a server. Completions of uploads take longer by wait.
type slowCommits struct {
	http.Handler
	wait time.Duration
}

func (s slowCommits) Do(r *http.Request) (*http.Response, error) {
	slow := r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
	w := httptest.NewRecorder()
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	s.ServeHTTP(w, r)
	if slow {
		select {
		case <-time.After(s.wait):
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
	return w.Result(), nil
}

func TestStallTimeoutIsChecked(t *testing.T) {
	_, err := Open(t.Context(), "s3://zarr-test?region=us-east-1", StallTimeout(-time.Second))
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
}
