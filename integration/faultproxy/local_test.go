package faultproxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLocal checks that a handler has the latency, the faults and the counters of a proxy.
func TestLocal(t *testing.T) {
	name := func(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, "/control") }
	p := StartLocal(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.WriteHeader(201)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, b)
	}), name, Config{FailFirst: 2})
	c := client(t, true)
	for i, want := range []int{503, 503, 201} {
		got, err := do(t.Context(), c, "PUT", p.URL()+"/k", "value")
		if err != nil || got.status != want || want == 201 && got.body != "PUT /k value" {
			t.Errorf("%d: %+v, %v", i, got, err)
		}
	}
	if got := get(t, c, p.URL()+"/control"); got.status != 201 {
		t.Errorf("%+v", got)
	}
	if s := p.Stats(); s.Requests != 3 || s.Operations["/k"] != 3 || len(s.Operations) != 1 || s.Faults[SlowDown] != 2 || s.BytesIn != 15 {
		t.Errorf("%+v", s)
	}
}

// TestLocalBodies checks the lengths of bodies, and their faults.
func TestLocalBodies(t *testing.T) {
	p := StartLocal(t, http.HandlerFunc(bytesOf), func(*http.Request) string { return "get" }, Config{})
	c := client(t, false)
	for path, length := range map[string]int64{"/1000": 1000, "/5000?chunked": -1, "/0": 0} {
		if got := get(t, c, p.URL()+path); got.length != length || got.status != 200 || length > 0 && int64(len(got.body)) != length {
			t.Errorf("%s: %d bytes of %d", path, len(got.body), got.length)
		}
	}
	whole := get(t, c, p.URL()+"/1000").body
	if err := p.Configure(always(Fault{Kind: Corrupt})); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, b := range []byte(get(t, c, p.URL()+"/1000").body) {
		if b != whole[i] {
			changed++
		}
	}
	if s := p.Stats(); changed != 1 || s.Faults[Corrupt] != 1 {
		t.Errorf("%d bytes changed, %+v", changed, s)
	}
	if err := p.Configure(always(Fault{Kind: InternalError})); err != nil {
		t.Fatal(err)
	}
	if got := get(t, c, p.URL()+"/1000"); got.status != 500 || got.body != s3Error("InternalError") {
		t.Errorf("%+v", got)
	}
}

// TestRPS checks that requests beyond the rate get SlowDown, and that the rate is per second.
func TestRPS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l limiter
		allowed := func(rate float64) (n int) {
			for range 20 {
				if l.allows(rate) {
					n++
				}
			}
			return n
		}
		if n := allowed(2); n != 2 {
			t.Errorf("%d requests at once", n)
		}
		time.Sleep(time.Second / 2)
		if n := allowed(2); n != 1 {
			t.Errorf("%d requests after half a second", n)
		}
		if n := allowed(0); n != 20 {
			t.Errorf("%d requests without a limit", n)
		}
	})
	p := Start(t, behind(t, bytesOf), Config{RPS: 0.5})
	if got := get(t, client(t, true), p.URL()+"/1"); got.status != 503 || p.Stats().Faults[SlowDown] != 1 {
		t.Errorf("%+v, %+v", got, p.Stats())
	}
}

// TestTail checks that the delay of slow requests is a multiple of the latency.
func TestTail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := always(Fault{Kind: Answer})
		cfg.LatencyMS, cfg.TailShare, cfg.TailFactor = 30, 1, 20
		start := time.Now()
		asked(t.Context(), t, cfg, "")
		if took := time.Since(start); took != 600*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}
