package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestValues checks the responses for values against RFC 9110.
func TestValues(t *testing.T) {
	st := filled(t, "zarr.json", `{"a":1}`, "c/0", "0123456789", "empty", "", "a b/é", "x", "g/v/.zarray", "{}", "n/5/x", "y")
	url := start(t, serve.Options{}, serve.Dataset{ID: "d", Store: st}, serve.Dataset{ID: "below", Store: st, Path: "g/v"}) + "/datasets/"
	tag := send(t, "GET", url+"d/zarr/c/0").Header.Get("ETag")
	document := send(t, "HEAD", url+"d/zarr/zarr.json").Header.Get("ETag")
	if tag == document || !strings.HasPrefix(tag, `"`) {
		t.Fatalf("ETags %s and %s", tag, document)
	}
	const chunk = "d/zarr/c/0"
	tests := []struct {
		name   string
		method string
		path   string
		header []string
		status int
		wants  []string
	}{
		{"document", "GET", "d/zarr/zarr.json", nil, 200, []string{`={"a":1}`, "Content-Type: application/json", "Content-Length: 7", "ETag: " + document, "Cache-Control: no-cache", "Accept-Ranges: bytes", "X-Content-Type-Options: nosniff"}},
		{"chunk", "GET", chunk, nil, 200, []string{"=0123456789", "Content-Type: application/octet-stream", "ETag: " + tag}},
		{"head", "HEAD", chunk, nil, 200, []string{"=", "Content-Length: 10", "ETag: " + tag}},
		{"head ignores ranges", "HEAD", chunk, []string{"Range: bytes=2-3"}, 200, []string{"Content-Length: 10"}},
		{"below a path", "GET", "below/zarr/.zarray", nil, 200, []string{"={}", "Content-Type: application/json"}},
		{"escaped", "GET", "d/zarr/a%20b/%C3%A9", nil, 200, []string{"=x"}},
		{"empty", "GET", "d/zarr/empty", nil, 200, []string{"=", "Content-Length: 0"}},
		{"head of empty", "HEAD", "d/zarr/empty", nil, 200, []string{"Content-Length: 0"}},
		{"absent", "GET", "d/zarr/c/1", nil, 404, []string{"no such key", "!ETag", "Cache-Control: no-store"}},
		{"prefix", "GET", "d/zarr/a%20b", nil, 307, []string{"Location: ./a%20b/"}},
		{"head of a prefix", "HEAD", "d/zarr/a%20b", nil, 404, nil},
		{"prefix of numbers", "GET", "d/zarr/n/5", nil, 404, nil},
		{"members", "GET", "d/zarr/a%20b/", nil, 200, []string{`<a href="%C3%A9">é</a>`, "Content-Type: text/html; charset=utf-8"}},
		{"no members", "GET", "d/zarr/none/", nil, 404, nil},
		{"keys", "GET", "d/zarr/?list", nil, 200, []string{`{"key":"g/v/.zarray","size":2,"etag":`, `{"key":"a b/é"`}},
		{"keys below", "GET", "d/zarr/g/?list=level", nil, 200, []string{"=[\n{\"prefix\":\"v/\"}\n]\n"}},
		{"keys after", "GET", "d/zarr/?list&prefix=c&after=c/0", nil, 200, []string{"=[\n]\n"}},
		{"keys after another prefix", "GET", "d/zarr/?list&prefix=c&after=b", nil, 400, nil},
		{"bad prefix", "GET", "d/zarr/?list&prefix=../x", nil, 400, nil},
		{"bad list", "GET", "d/zarr/?list=all", nil, 400, nil},
		{"no dataset", "GET", "x/zarr/c/0", nil, 404, nil},
		{"first bytes", "GET", chunk, []string{"Range: bytes=0-3"}, 206, []string{"=0123", "Content-Range: bytes 0-3/10", "Content-Length: 4"}},
		{"to the end", "GET", chunk, []string{"Range: bytes=7-"}, 206, []string{"=789", "Content-Range: bytes 7-9/10"}},
		{"beyond the end", "GET", chunk, []string{"Range: bytes=8-99999999999999999999"}, 206, []string{"=89", "Content-Range: bytes 8-9/10"}},
		{"suffix", "GET", chunk, []string{"Range: bytes=-2"}, 206, []string{"=89", "Content-Range: bytes 8-9/10"}},
		{"long suffix", "GET", chunk, []string{"Range: bytes=-20"}, 206, []string{"=0123456789", "Content-Range: bytes 0-9/10"}},
		{"after the end", "GET", chunk, []string{"Range: bytes=10-"}, 416, []string{"Content-Range: bytes */10", "!ETag"}},
		{"no suffix", "GET", chunk, []string{"Range: bytes=-0"}, 416, []string{"Content-Range: bytes */10"}},
		{"range of empty", "GET", "d/zarr/empty", []string{"Range: bytes=0-0"}, 416, []string{"Content-Range: bytes */0"}},
		{"several ranges", "GET", chunk, []string{"Range: bytes=0-1,4-5"}, 200, []string{"=0123456789"}},
		{"backward", "GET", chunk, []string{"Range: bytes=5-4"}, 200, []string{"=0123456789"}},
		{"other unit", "GET", chunk, []string{"Range: rows=0-1"}, 200, []string{"=0123456789"}},
		{"not modified", "GET", chunk, []string{"If-None-Match: " + tag}, 304, []string{"=", "ETag: " + tag}},
		{"weak comparison", "GET", chunk, []string{"If-None-Match: W/" + tag}, 304, nil},
		{"one of a list", "GET", chunk, []string{`If-None-Match: "x", W/"y" , ` + tag}, 304, []string{"ETag: " + tag}},
		{"any", "HEAD", chunk, []string{"If-None-Match: *"}, 304, nil},
		{"modified", "GET", chunk, []string{"If-None-Match: " + document}, 200, []string{"=0123456789"}},
		{"foreign tag", "GET", chunk, []string{`If-None-Match: "x"`}, 200, nil},
		{"match", "GET", chunk, []string{"If-Match: " + tag, "Range: bytes=1-1"}, 206, []string{"=1"}},
		{"no match", "GET", chunk, []string{"If-Match: " + document}, 412, nil},
		{"no match of a foreign tag", "HEAD", chunk, []string{`If-Match: "x"`}, 412, nil},
		{"weak never matches", "GET", chunk, []string{"If-Match: W/" + tag}, 412, nil},
		{"match of absent", "GET", "d/zarr/c/1", []string{"If-Match: *"}, 412, nil},
		{"malformed condition", "GET", chunk, []string{"If-Match: x"}, 400, nil},
		{"if range", "GET", chunk, []string{"If-Range: " + tag, "Range: bytes=1-1"}, 206, []string{"=1"}},
		{"if range of another", "GET", chunk, []string{"If-Range: " + document, "Range: bytes=1-1"}, 200, []string{"=0123456789"}},
		{"if range of a date", "GET", chunk, []string{"If-Range: Mon, 30 Nov 2026 00:00:00 GMT", "Range: bytes=1-1"}, 200, []string{"=0123456789"}},
		{"put", "PUT", chunk, []string{"If-None-Match: *", "x"}, 405, []string{"Allow: GET, HEAD, OPTIONS"}},
		{"post", "POST", chunk, nil, 405, []string{"Allow: GET, HEAD, OPTIONS"}},
		{"options", "OPTIONS", chunk, nil, 204, []string{"Allow: GET, HEAD, OPTIONS", "!Access-Control-Allow-Origin"}},
		{"datasets", "GET", "", nil, 200, []string{"=[\"below\",\"d\"]\n", "Content-Type: application/json"}},
		{"parent", "GET", "d/zarr/../../x", nil, 400, nil},
		{"escaped parent", "GET", "d/zarr/%2e%2e/x", nil, 400, nil},
		{"escaped slash", "GET", "d/zarr/c%2F0", nil, 400, nil},
		{"backslash", "GET", `d/zarr/c%5c0`, nil, 400, nil},
		{"zero", "GET", "d/zarr/c%000", nil, 400, nil},
		{"empty segment", "GET", "d/zarr//c/0", nil, 400, nil},
		{"not UTF-8", "GET", "d/zarr/%ff", nil, 400, nil},
		{"long key", "GET", "d/zarr/" + strings.Repeat("a", 1025), nil, 400, nil},
		{"long path", "GET", "d/zarr/" + strings.Repeat("a/", 5000), nil, 414, nil},
		{"long query", "GET", "d/zarr/c/0?" + strings.Repeat("a", 9000), nil, 414, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			send(t, tt.method, url+tt.path, tt.header...).expect(t, tt.status, tt.wants...)
		})
	}
}

// TestRequests checks which requests are sent to the source.
func TestRequests(t *testing.T) {
	var sent []string
	st := store.Observe(filled(t, "k", "0123456789", "long", strings.Repeat("x", 9<<20)), func(_ context.Context, e store.Event) {
		sent = append(sent, strings.TrimSpace(fmt.Sprint(e.Op, " ", e.Key, " ", e.Range)))
	})
	url := start(t, serve.Options{}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/zarr/"
	tag := send(t, "HEAD", url+"k").Header.Get("ETag")
	for _, tt := range []struct {
		name   string
		method string
		path   string
		header string
		want   string
	}{
		{"value", "GET", "k", "Accept: */*", "get k whole"},
		{"range", "GET", "k", "Range: bytes=2-3", "get k 2+2"},
		{"suffix", "GET", "k", "Range: bytes=-3", "get k last 3"},
		{"long suffix", "GET", "k", "Range: bytes=-11", "get k last 11, get k 0+1, get k 0+10"},
		{"header", "HEAD", "k", "Accept: */*", "get k 0+1"},
		{"not modified", "GET", "k", "If-None-Match: " + tag, "get k whole"},
		{"absent chunk", "GET", "c/0", "Accept: */*", "get c/0 whole"},
		{"absent document", "GET", "zarr.json", "Accept: */*", "get zarr.json whole"},
		{"absent name", "GET", "name", "Accept: */*", "get name whole, list name whole"},
		{"long value", "GET", "long", "Accept: */*", "get long whole, get long 0+4194304, get long 4194304+4194304, get long 8388608+1048576"},
		{"long range", "GET", "long", "Range: bytes=5-5242884", "get long 0+1, get long 5+4194304, get long 4194309+1048576"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent = nil
			send(t, tt.method, url+tt.path, tt.header)
			if got := strings.Join(sent, ", "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestLongValues checks that long values arrive in pieces, unchanged, within the budget, and that the
// pieces are of one version.
func TestLongValues(t *testing.T) {
	long := make([]byte, 11<<20+5)
	_, _ = rand.NewChaCha8([32]byte{}).Read(long)
	text := string(long)
	st := filled(t, "c/0", text)
	memory := concurrency.NewBudget(16 << 20).Child(16 << 20) // the peak of a child is without idle buffers
	url := start(t, serve.Options{Memory: memory}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/zarr/c/0"
	for _, tt := range []struct {
		name, header string
		status       int
		want         string
	}{
		{"whole", "Accept: */*", 200, text},
		{"again", "Accept: */*", 200, text},
		{"most", "Range: bytes=3-9999999", 206, text[3:10000000]},
		{"to the end", "Range: bytes=5-", 206, text[5:]},
		{"suffix", "Range: bytes=-9000000", 206, text[len(text)-9000000:]},
		{"beyond", "Range: bytes=11534340-99999999", 206, text[11534340:]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := send(t, "GET", url, tt.header)
			got.expect(t, tt.status)
			if got.body != tt.want {
				t.Errorf("%d bytes differ, want %d", len(got.body), len(tt.want))
			}
		})
	}
	if now, peak := memory.Used(); now != 0 || peak > 8<<20 { // two pieces, because a client may be faster than the end of its request
		t.Errorf("%d bytes are reserved, the peak was %d", now, peak)
	}

	// The value changes after the first piece: the body ends early.
	changed := false
	changing := store.Around(st, store.Hooks{After: func(_ context.Context, c store.Call, r store.Result) {
		if off, _, ok := c.Range.IsWithin(); ok && off > 0 && !changed {
			changed = true
			must(st.Put(t.Context(), "c/0", bytes.Repeat([]byte{1}, len(long)), store.PutOptions{}))
		}
	}})
	url = start(t, serve.Options{}, serve.Dataset{ID: "d", Store: changing}) + "/datasets/d/zarr/c/0"
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if n, err := new(bytes.Buffer).ReadFrom(resp.Body); err == nil || !changed {
		t.Errorf("%d bytes without an error, changed: %v", n, changed)
	}
}
