package faultproxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestForwardsUnchanged checks that everything that a signature covers is forwarded unchanged.
func TestForwardsUnchanged(t *testing.T) {
	seen := make(chan *http.Request, 1)
	p := Start(t, behind(t, func(w http.ResponseWriter, r *http.Request) { seen <- r }), Config{})
	for _, target := range []string{
		"/bucket/key", "/bucket/a%2Fb/c%20d+e/%C3%BC~!'()*", "//bucket//x", "/b/./a/../c", "/b?list-type=2&prefix=a%2Fb+c&delimiter=%2F", "/b?",
		"/b/%7Etilde%2f",
	} {
		for _, head := range []string{
			"Host: bucket.s3.amazonaws.com\r\nAccept-Encoding: identity\r\nX-Amz-Date: now\r\nRange: bytes=-9\r\n",
			"Host: x:9\r\nAccept-Encoding: gzip, br\r\nUser-Agent: some/1\r\n",
		} {
			conn, err := net.Dial("tcp", p.Addr())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\n%sConnection: close, X-Hop\r\nX-Hop: gone\r\n\r\n", target, head)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			conn.Close()
			r := <-seen
			if r.RequestURI != target {
				t.Errorf("target %q arrived as %q", target, r.RequestURI)
			}
			got := "Host: " + r.Host + "\r\n"
			for _, k := range []string{"Accept-Encoding", "User-Agent", "X-Amz-Date", "Range", "X-Hop"} {
				for _, v := range r.Header[k] {
					got += k + ": " + v + "\r\n"
				}
			}
			if got != head {
				t.Errorf("header %q arrived as %q", head, got)
			}
		}
	}
}

func TestForwardsBodies(t *testing.T) {
	echo := behind(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength >= 0 {
			w.Header().Set("Content-Length", fmt.Sprint(r.ContentLength))
		}
		w.Header()["Date"] = nil
		w.Header().Set("Etag", `"1"`)
		body, _ := io.ReadAll(r.Body) // HTTP/1 of net/http is half duplex
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write(body)
	})
	p, c := Start(t, echo, Config{}), client(t, true)
	var total int64
	for _, n := range []int{0, 1, 2, 2047, 2048, 2049, 4096, 65536, 3 << 20} {
		body := strings.Repeat("z", n)
		got, err := do(t.Context(), c, "PUT", p.URL()+"/k", body)
		if err != nil {
			t.Fatal(err)
		}
		if got.status != http.StatusAccepted || got.body != body || got.length != int64(n) || got.header.Get("Etag") != `"1"` {
			t.Errorf("%d bytes: status %d, %d bytes, announced %d, %v", n, got.status, len(got.body), got.length, got.header)
		}
		if got.header["Date"] != nil {
			t.Errorf("a date was added: %v", got.header)
		}
		total += int64(n)
		if s := p.Stats(); s.BytesIn != total || s.BytesOut != total {
			t.Errorf("after %d bytes: in %d, out %d", total, s.BytesIn, s.BytesOut)
		}
	}
}

func TestForwardsWithoutBody(t *testing.T) {
	p, c := Start(t, behind(t, bytesOf), Config{}), client(t, true)
	got, err := do(t.Context(), c, "HEAD", p.URL()+"/77", "")
	if err != nil || got.length != 77 || got.body != "" {
		t.Errorf("HEAD: %+v, %v", got, err)
	}
	if s := p.Stats(); s.BytesOut != 0 || s.ByMethod["HEAD"] != 1 || s.ByStatus[200] != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestForwardsExpectContinue(t *testing.T) {
	p, c := Start(t, behind(t, bytesOf), Config{}), client(t, true)
	req, err := http.NewRequestWithContext(t.Context(), "PUT", p.URL()+"/0", strings.NewReader(strings.Repeat("y", 5<<20)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Expect", "100-continue")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 || p.Stats().BytesIn != 5<<20 {
		t.Errorf("%s, %+v", resp.Status, p.Stats())
	}
}

func TestTargetGone(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	p := Start(t, &url.URL{Scheme: "http", Host: ln.Addr().String()}, Config{})
	if got := get(t, client(t, true), p.URL()+"/k"); got.status != http.StatusBadGateway || !strings.Contains(got.body, "refused") {
		t.Errorf("%+v", got)
	}
}

func TestTargetCutsBody(t *testing.T) {
	p := Start(t, behind(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}), Config{})
	if got, err := do(t.Context(), client(t, true), "GET", p.URL()+"/k", ""); err == nil {
		t.Errorf("no error, but %+v", got)
	}
}

func TestRewriteHost(t *testing.T) {
	hosts := make(chan string, 1)
	target := behind(t, func(_ http.ResponseWriter, r *http.Request) { hosts <- r.Host })
	for _, rewrite := range []bool{false, true} {
		p := Start(t, target, Config{RewriteHost: rewrite})
		resp, err := http.Get(p.URL() + "/x")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		want := p.Addr()
		if rewrite {
			want = target.Host
		}
		if got := <-hosts; got != want {
			t.Errorf("rewrite %v: Host is %s, want %s", rewrite, got, want)
		}
	}
}
