package faultproxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			os.Exit(code)
		}
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Println("goroutines left over:")
	_ = pprof.Lookup("goroutine").WriteTo(os.Stdout, 1)
	os.Exit(1)
}

// behind runs h as the target server of proxies.
func behind(t *testing.T, h http.HandlerFunc) *url.URL {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// bytesOf responds with the number of bytes in the last segment of the path, without a declared
// length if the query is "chunked".
func bytesOf(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	var n int
	_, _ = fmt.Sscanf(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], "%d", &n)
	if !r.URL.Query().Has("chunked") {
		w.Header().Set("Content-Length", fmt.Sprint(n))
	}
	_, _ = io.WriteString(w, strings.Repeat("x", n))
}

// client returns a client whose connections are closed at the end of the test.
func client(t *testing.T, keep bool) *http.Client {
	t.Helper()
	tr := &http.Transport{DisableKeepAlives: !keep, MaxIdleConnsPerHost: 256, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

type reply struct {
	status int
	length int64 // the announced length
	header http.Header
	body   string
}

func do(ctx context.Context, c *http.Client, method, url, body string) (reply, error) {
	var b io.Reader
	if body != "" {
		b = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, b)
	if err != nil {
		return reply{}, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.ContentLength, resp.Header, string(text)}, err
}

func get(t *testing.T, c *http.Client, url string) reply {
	t.Helper()
	got, err := do(t.Context(), c, "GET", url, "")
	if err != nil {
		t.Fatal(err)
	}
	return got
}
