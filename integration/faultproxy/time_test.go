package faultproxy

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// asked handles one request with a proxy that is not on the network.
func asked(ctx context.Context, t *testing.T, cfg Config, body string) *Proxy {
	t.Helper()
	p, err := New(&url.URL{Scheme: "http", Host: "127.0.0.1:1"}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }() // a recorder has no connection to cut
		p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "PUT", "/k", strings.NewReader(body)))
	}()
	return p
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := always(Fault{Kind: Answer})
		cfg.LatencyMS = 30
		start := time.Now()
		asked(t.Context(), t, cfg, "")
		if took := time.Since(start); took != 30*time.Millisecond {
			t.Errorf("took %v", took)
		}
		cfg.JitterMS = 20
		var took [2]time.Duration
		for i := range took {
			start = time.Now()
			asked(t.Context(), t, cfg, "")
			took[i] = time.Since(start)
		}
		if took[0] != took[1] || took[0] <= 30*time.Millisecond || took[0] >= 50*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

func TestUploadBandwidth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := always(Fault{Kind: Answer})
		cfg.WriteBPS = 1000
		start := time.Now()
		p := asked(t.Context(), t, cfg, strings.Repeat("b", 5000))
		if took := time.Since(start).Round(time.Millisecond); took != 5*time.Second || p.Stats().BytesIn != 5000 {
			t.Errorf("%d bytes took %v", p.Stats().BytesIn, took)
		}
	})
}

func TestDownloadBandwidth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := New(&url.URL{Scheme: "http", Host: "x"}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		n, err := io.Copy(io.Discard, &paced{r: strings.NewReader(strings.Repeat("b", 1<<20)), p: p, ctx: t.Context(), bps: 1 << 18})
		if took := time.Since(start).Round(time.Millisecond); took != 4*time.Second || n != 1<<20 || err != nil {
			t.Errorf("%d bytes took %v: %v", n, took, err)
		}
	})
}

func TestWaitsEndWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		p := asked(ctx, t, Config{LatencyMS: 1e6}, "")
		if took := time.Since(start); took != time.Second || p.Stats().InFlight != 0 {
			t.Errorf("took %v, %+v", took, p.Stats())
		}
	})
}

func TestWaitsEndWithTheProxy(t *testing.T) {
	p, err := New(&url.URL{Scheme: "http", Host: "x"}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- p.wait(t.Context(), 0, true) }()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, errStopped) {
		t.Error(err)
	}
}
