package faultproxy

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// always returns a Script that applies the same fault to every request.
func always(f Fault) Config { return Config{Overrides: []Override{{Path: "*", Fault: f}}, Log: 10} }

func TestSlowDown(t *testing.T) {
	var forwarded atomic.Int64
	p := Start(t, behind(t, func(http.ResponseWriter, *http.Request) { forwarded.Add(1) }), always(Fault{Kind: SlowDown}))
	c := client(t, true)
	for _, body := range []string{"", strings.Repeat("b", 2<<20)} {
		got, err := do(t.Context(), c, "PUT", p.URL()+"/b/k", body)
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			XMLName xml.Name `xml:"Error"`
			Code    string
		}
		if err := xml.Unmarshal([]byte(got.body), &e); err != nil || e.Code != "SlowDown" || got.status != 503 {
			t.Errorf("%d %s: %v", got.status, got.body, err)
		}
	}
	if s := p.Stats(); forwarded.Load() != 0 || s.Faults[SlowDown] != 2 || s.ByStatus[503] != 2 || s.Connections != 1 {
		t.Errorf("%d forwarded, %+v", forwarded.Load(), s)
	}
	if got := fmt.Sprint(p.Log()); got != "[PUT /b/k 503 (slow_down) PUT /b/k 503 (slow_down)]" {
		t.Error(got)
	}
}

func TestReset(t *testing.T) {
	var forwarded atomic.Int64
	p := Start(t, behind(t, func(http.ResponseWriter, *http.Request) { forwarded.Add(1) }), always(Fault{Kind: Reset}))
	_, err := do(t.Context(), client(t, false), "GET", p.URL()+"/k", "")
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	if s := p.Stats(); forwarded.Load() != 0 || s.Faults[Reset] != 1 || s.ByStatus[0] != 1 || s.InFlight != 0 {
		t.Errorf("%d forwarded, %+v", forwarded.Load(), s)
	}
}

func TestLost(t *testing.T) {
	var got atomic.Value
	p := Start(t, behind(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got.Store(string(b))
	}), always(Fault{Kind: Lost}))
	_, err := do(t.Context(), client(t, false), "PUT", p.URL()+"/k", "value")
	if err == nil || got.Load() != "value" {
		t.Errorf("the server has %v, the client %v", got.Load(), err)
	}
	if s := p.Stats(); s.Faults[Lost] != 1 || s.ByStatus[0] != 1 {
		t.Errorf("%+v", s)
	}
}

func TestTruncate(t *testing.T) {
	target := behind(t, bytesOf)
	tests := []struct {
		name  string
		path  string
		after int64
		want  int
		said  int64
	}{
		{"half", "/1000", 0, 500, 1000},
		{"after some", "/1000", 10, 10, 1000},
		{"after more than there is", "/1000", 5000, 999, 1000},
		{"at once", "/1000", -1, 0, 1000},
		{"one byte", "/1", 0, 0, 1},
		{"long", "/1000000", 0, 500000, 1000000},
		{"unannounced", "/5000?chunked", 0, 2500, -1},
		{"unannounced and long", "/1000000?chunked", 0, 32768, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Start(t, target, always(Fault{Kind: Truncate, After: tt.after}))
			got, err := do(t.Context(), client(t, true), "GET", p.URL()+tt.path, "")
			if !errors.Is(err, io.ErrUnexpectedEOF) || len(got.body) != tt.want || got.length != tt.said {
				t.Errorf("%d of %d bytes, %v", len(got.body), got.length, err)
			}
			if s := p.Stats(); s.Faults[Truncate] != 1 || s.ByStatus[200] != 1 || s.BytesOut != int64(tt.want) {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestTruncateNothing(t *testing.T) {
	p, c := Start(t, behind(t, bytesOf), always(Fault{Kind: Truncate})), client(t, true)
	for _, path := range []string{"/0", "/0?chunked"} {
		if got := get(t, c, p.URL()+path); got.status != 200 || got.body != "" {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if s := p.Stats(); len(s.Faults) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestHangUntilClientGivesUp(t *testing.T) {
	p := Start(t, behind(t, bytesOf), always(Fault{Kind: Hang}))
	for _, body := range []string{"", "some"} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for p.Stats().InFlight == 0 {
				if ctx.Err() != nil {
					return
				}
			}
			cancel()
		}()
		if _, err := do(ctx, client(t, true), "POST", p.URL()+"/k", body); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		for p.Stats().InFlight != 0 { // ends at the test's own time limit
			if t.Context().Err() != nil {
				t.Fatal("still in flight")
			}
		}
		cancel()
	}
	if s := p.Stats(); s.Faults[Hang] != 2 || s.ByStatus[0] != 2 {
		t.Errorf("%+v", s)
	}
}

func TestHangForATime(t *testing.T) {
	p := Start(t, behind(t, bytesOf), always(Fault{Kind: Hang, HangMS: 1}))
	if got, err := do(t.Context(), client(t, false), "GET", p.URL()+"/k", ""); err == nil {
		t.Errorf("%+v", got)
	}
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		name  string
		fault Fault
		want  reply
	}{
		{"page", Page(), reply{status: 200, body: Page().Body}},
		{"empty", Fault{Kind: Answer}, reply{status: 200}},
		{"refused", S3Error(403, "AccessDenied"), reply{status: 403, body: s3Error("AccessDenied")}},
		{"unknown", S3Error(401, "InvalidAccessKeyId"), reply{status: 401, body: s3Error("InvalidAccessKeyId")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Start(t, behind(t, bytesOf), Config{Overrides: []Override{
				{Method: "PUT", Path: "/b/*", Fault: Fault{Kind: Reset}},
				{Path: "/b/k", Fault: tt.fault},
			}})
			c := client(t, true)
			got := get(t, c, p.URL()+"/b/k")
			if got.status != tt.want.status || got.body != tt.want.body || got.header.Get("Content-Type") != tt.fault.ContentType {
				t.Errorf("%+v", got)
			}
			if got := get(t, c, p.URL()+"/b/k/2"); got.body != "xx" {
				t.Errorf("another path: %+v", got)
			}
			head, err := do(t.Context(), c, "HEAD", p.URL()+"/b/k", "")
			if err != nil || head.status != tt.want.status || head.body != "" {
				t.Errorf("HEAD: %+v, %v", head, err)
			}
		})
	}
}

func TestOverridePaths(t *testing.T) {
	p := Start(t, behind(t, bytesOf), Config{Rates: Rates{SlowDown: 1}, Overrides: []Override{
		{Path: "*/free", Fault: Fault{}},
		{Path: "/a/*", Fault: S3Error(404, "NoSuchKey")},
		{Path: "/b", Fault: Page()},
	}})
	c := client(t, true)
	for path, want := range map[string]int{"/x/free": 200, "/a/free": 200, "/a/x": 404, "/b": 200, "/b/x": 503, "/freed": 503} {
		if got := get(t, c, p.URL()+path); got.status != want {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

func TestScript(t *testing.T) {
	cfg := always(S3Error(500, "InternalError"))
	var n atomic.Int64
	cfg.Script = func(r *http.Request) Fault {
		if n.Add(1) == 1 {
			return Page()
		}
		return Fault{}
	}
	p, c := Start(t, behind(t, bytesOf), cfg), client(t, true)
	if a, b := get(t, c, p.URL()+"/k"), get(t, c, p.URL()+"/k"); a.status != 200 || b.status != 500 {
		t.Errorf("%d, %d", a.status, b.status)
	}
}

// fates sends requests to 600 paths twice each, many concurrently, and returns the outcome of each.
func fates(t *testing.T, seed uint64) map[string]Kind {
	t.Helper()
	p := Start(t, behind(t, bytesOf), Config{Seed: seed, Log: 2000, JitterMS: 2,
		Rates: Rates{SlowDown: 0.05, Reset: 0.05, Truncate: 0.05, Lost: 0.05}})
	c := client(t, false)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range 600 {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			for range 2 {
				_, _ = do(t.Context(), c, "GET", fmt.Sprintf("%s/%d/9", p.URL(), i), "")
			}
		})
	}
	wg.Wait()
	out, nth := map[string]Kind{}, map[string]int{}
	for _, e := range p.Log() {
		out[fmt.Sprint(e.Path, " ", nth[e.Path])] = e.Fault
		nth[e.Path]++
	}
	return out
}

func TestChanceFollowsTheSeed(t *testing.T) {
	a, b, other := fates(t, 7), fates(t, 7), fates(t, 8)
	if len(a) != 1200 || !maps.Equal(a, b) {
		t.Errorf("%d fates, the same seed gave others", len(a))
	}
	if maps.Equal(a, other) {
		t.Error("another seed gave the same fates")
	}
	count := map[Kind]int{}
	again := 0
	for k, v := range a {
		count[v]++
		if v != None && strings.HasSuffix(k, " 0") && a[strings.TrimSuffix(k, "0")+"1"] != None {
			again++
		}
	}
	for _, k := range []Kind{SlowDown, Reset, Truncate, Lost} {
		if n := count[k]; n < 35 || n > 90 { // 5 % are 60
			t.Errorf("%s: %d of 1200", k, n)
		}
	}
	if again < 5 || again > 50 { // a fifth of a fifth of 600 are 24
		t.Errorf("%d requests met a fault twice", again)
	}
}
