package fake

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

func endings() []ending {
	none := func(h http.Header, _ int) { h.Del("Content-Length") }
	length := func(of func(int) int) func(http.Header, int) {
		return func(h http.Header, n int) { h.Set("Content-Length", fmt.Sprint(of(n))) }
	}
	chunked := func(h http.Header, _ int) { h.Del("Content-Length"); h.Set("Transfer-Encoding", "chunked") }
	noRange := func(h http.Header, _ int) { h.Del("Content-Range") }
	half := func(b []byte) []byte { return b[:len(b)/2] }
	part := func(b []byte) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(b)/2, half(b)) }
	parts := func(b []byte) []byte {
		return fmt.Appendf(part(b), "%x\r\n%s\r\n0\r\n\r\n", len(b)-len(b)/2, b[len(b)/2:])
	}
	return []ending{
		{name: "half, no length, closed", bare: true, header: none, body: half},
		{name: "all, no length, closed", bare: true, header: none, either: true},
		{name: "chunked to its end", bare: true, header: chunked, body: parts, value: true},
		{name: "chunked, cut", bare: true, header: chunked, body: part},
		{name: "chunked, cut in a chunk", bare: true, header: chunked, body: func(b []byte) []byte { return half(part(b)) }},
		{name: "less than the length", bare: true, body: half},
		{name: "206", bare: true, status: http.StatusPartialContent},
		{name: "206 of a part", bare: true, status: http.StatusPartialContent, body: half, header: func(h http.Header, n int) {
			h.Set("Content-Length", fmt.Sprint(n/2))
			h.Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", n/2-1, n))
		}},

		{name: "range: half, no length, closed", header: none, body: half},
		{name: "range: all, no length, closed", header: none, either: true},
		{name: "range: chunked to its end", header: chunked, body: parts, either: true},
		{name: "range: chunked, cut", header: chunked, body: part},
		{name: "range: less than the length", body: half},
		{name: "range: shorter length", header: length(func(n int) int { return n / 2 }), body: half},
		{name: "range: longer length", header: length(func(n int) int { return n + 5 }), body: func(b []byte) []byte { return append(b[:len(b):len(b)], "extra"...) }},
		{name: "range: no Content-Range", header: noRange},
		{name: "range: several parts", header: func(h http.Header, n int) {
			h.Del("Content-Range")
			h.Set("Content-Type", "multipart/byteranges; boundary=x")
		}},
		{name: "range: another one", header: func(h http.Header, n int) { h.Set("Content-Range", fmt.Sprintf("bytes 0-%d/1000", n-1)) }},
		{name: "range: no size", header: func(h http.Header, n int) { h.Set("Content-Range", fmt.Sprintf("bytes 10-%d/*", n+9)) }},
		{name: "range ignored", whole: true, status: http.StatusOK, either: true},
		{name: "range ignored, no length, closed", whole: true, status: http.StatusOK, header: none, either: true},
		{name: "range ignored, half, no length, closed", whole: true, status: http.StatusOK, header: none, body: half},
		{name: "range ignored, less than the length", whole: true, status: http.StatusOK, body: half},
	}
}

// ending is a form of responses that contain a value. Some forms prove that the body is complete.
type ending struct {
	name   string
	status int // 0 is that of the server
	header func(h http.Header, length int)
	body   func([]byte) []byte
	bare   bool // the request has no range
	whole  bool // the response contains the whole value even if the request has a range
	value  bool // the response is complete and must be accepted, not rejected
	either bool // the response is complete; providers differ in whether they accept it
}

// Endings checks that a provider never returns a truncated value. If a response has no length, no
// chunked coding and no Content-Range, a truncated value looks complete, so the response must be
// rejected.
func Endings(t *testing.T, p Provider) {
	srv, w := p.Serve(t)
	value := bytes.Repeat([]byte("0123456789"), 10)
	if _, err := w.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, e := range endings() {
		t.Run(e.name, func(t *testing.T) {
			srv.Answer(e.on(srv))
			defer srv.Answer(nil)
			st := p.Open(t, srv.URL, nil, retry.Tries(1))
			o, want := store.GetOptions{Range: store.Within(10, 60)}, value[10:70]
			if e.bare {
				o, want = store.GetOptions{}, value
			}
			v, err := st.Get(t.Context(), "k", o, nil)
			switch {
			case err == nil && !bytes.Equal(v.Bytes, want):
				t.Errorf("accepted %q as the value", v.Bytes)
			case err == nil && !e.value && !e.either:
				t.Error("took it for the value")
			case err != nil && e.value:
				t.Error(err)
			case err != nil:
				WantKind(t, err, fault.Unavailable)
			}
		})
	}
}

// on returns an Answer that sends the response of srv in the form e, and then closes the
// connection.
func (e ending) on(srv *Server) Answer {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/k") {
			return false
		}
		if e.whole {
			r = r.Clone(r.Context())
			r.Header.Del("Range")
			r.Header.Del("X-Ms-Range")
		}
		full := httptest.NewRecorder()
		srv.serve(full, r)
		body, status := full.Body.Bytes(), full.Code
		h := full.Header().Clone()
		h.Set("Content-Length", fmt.Sprint(len(body)))
		h.Set("Connection", "close")
		if e.status != 0 {
			status = e.status
		}
		if e.header != nil {
			e.header(h, len(body))
		}
		if e.body != nil {
			body = e.body(body)
		}
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return false
		}
		defer func() { _ = c.Close() }()
		_, _ = fmt.Fprintf(rw, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
		_ = h.Write(rw)
		_, _ = fmt.Fprintf(rw, "\r\n%s", body)
		_ = rw.Flush()
		return true
	}
}
