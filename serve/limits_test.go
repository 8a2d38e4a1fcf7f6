package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// failing returns a store whose requests of one kind fail, with an error that contains a secret.
func failing(st store.Store, op store.Op, kind ...error) store.Store {
	err := error(&fault.KeyError{Op: string(op), Store: "s3://secret-bucket?key=secret", Key: "k", Err: fault.Newf(append(kind, fault.Unavailable)[0], "https://secret.example/secret")})
	return store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if c.Op == op {
			return nil, err
		}
		return ctx, nil
	}})
}

type throttled struct{ error }

func (throttled) RetryAfter() time.Duration { return 7 * time.Second }
func (t throttled) Unwrap() error           { return t.error }

// TestFailures checks that a failure of the source is neither an absence nor a client's error, and
// that responses do not reveal the source.
func TestFailures(t *testing.T) {
	for kind, status := range map[error]int{
		fault.Unavailable: 502, fault.Throttled: 503, throttled{fault.Throttled}: 503, fault.Denied: 502, fault.NoCredentials: 502, fault.NoBucket: 502,
		fault.Refused: 403, fault.Corrupt: 502, context.DeadlineExceeded: 504, fault.Limit: 413, fault.Metadata: 502, fault.Full: 507, errors.ErrUnsupported: 501,
	} {
		var log bytes.Buffer
		st := failing(failing(filled(t, "zarr.json", "{}"), store.OpGet, kind), store.OpList, kind)
		url := start(t, serve.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/"
		for _, path := range []string{"zarr/zarr.json", "zarr/name", "zarr/?list", "zarr/", "keys", ""} {
			got := send(t, "GET", url+path)
			got.expect(t, status, "Cache-Control: no-store", `{"error":"`)
			if all := fmt.Sprint(got.Header) + got.body; strings.Contains(all, "secret") {
				t.Errorf("%v: %s", kind, all)
			}
			wait := map[error]string{fault.Throttled: "1", throttled{fault.Throttled}: "7"}[kind]
			if got.Header.Get("Retry-After") != wait {
				t.Errorf("%v: Retry-After %q, want %q", kind, got.Header.Get("Retry-After"), wait)
			}
		}
		if status >= 500 && !strings.Contains(log.String(), "secret-bucket") {
			t.Errorf("%v: the log lacks the error: %s", kind, log.String())
		}
	}
}

// TestLimits checks the limits of bytes and requests. What is known to exceed them is refused before
// its bytes are read.
func TestLimits(t *testing.T) {
	st := filled(t, "c/0", strings.Repeat("x", 5000), "c/1", strings.Repeat("x", 1000))
	read := atomic.Int64{}
	seen := store.Observe(st, func(_ context.Context, e store.Event) { read.Add(e.Bytes) })
	url := start(t, serve.Options{Limits: serve.Limits{Bytes: 1000}}, serve.Dataset{ID: "d", Store: seen}) + "/datasets/d/zarr/"
	send(t, "GET", url+"c/0").expect(t, 413, `"requests":1,"bytes":5000,"limit":{"requests":10000,"bytes":1000}}`)
	send(t, "GET", url+"c/0", "Range: bytes=1-1001").expect(t, 413, `"bytes":1001`)
	if read.Load() > 2 {
		t.Errorf("%d bytes were read", read.Load())
	}
	send(t, "GET", url+"c/0", "Range: bytes=1-1000").expect(t, 206)
	send(t, "HEAD", url+"c/0").expect(t, 200, "Content-Length: 5000")
	send(t, "GET", url+"c/1").expect(t, 200)
}

// blocked returns a store whose Gets wait until release is called, or until their context ends. It
// counts those that wait.
func blocked(st store.Store) (slow store.Store, waiting *atomic.Int64, release func()) {
	open := make(chan struct{})
	waiting = &atomic.Int64{}
	return store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if c.Op != store.OpGet {
			return ctx, nil
		}
		waiting.Add(1)
		defer waiting.Add(-1)
		select {
		case <-open:
			return ctx, nil
		case <-ctx.Done():
			return nil, &fault.KeyError{Op: "get", Key: c.Key, Err: context.Cause(ctx)}
		}
	}}), waiting, sync.OnceFunc(func() { close(open) })
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("not: %s", what)
}

// TestConcurrent checks that requests beyond the limit wait, and that those beyond as many again are
// refused.
func TestConcurrent(t *testing.T) {
	st, waiting, release := blocked(filled(t, "k", "v"))
	url := start(t, serve.Options{Limits: serve.Limits{Concurrent: 2}}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/zarr/k"
	replies := make(chan reply, 10)
	for range cap(replies) {
		go func() { replies <- send(t, "GET", url) }()
	}
	for range 6 {
		(<-replies).expect(t, 503, "Retry-After: 1")
	}
	for waiting.Load() < 2 {
		runtime.Gosched()
	}
	time.Sleep(10 * time.Millisecond) // a third request would begin
	if n := waiting.Load(); n != 2 {
		t.Errorf("%d requests run, want 2", n)
	}
	release()
	for range 4 {
		(<-replies).expect(t, 200, "=v")
	}
}

// TestDeadline checks that a request ends after its time, also when its client does not read.
func TestDeadline(t *testing.T) {
	st, waiting, release := blocked(unversioned{filled(t, "k", strings.Repeat("x", 64<<20))}) // sent at once
	s := must(serve.New(serve.Options{Limits: serve.Limits{Time: 50 * time.Millisecond}}, serve.Dataset{ID: "d", Store: st}))
	url, end := listen(t, s)
	defer end()
	send(t, "GET", "http://"+url+"/datasets/d/zarr/k").expect(t, 504)
	if waiting.Load() != 0 {
		t.Error("the request to the source remains")
	}
	release()
	conn := must(net.Dial("tcp", url))
	defer func() { _ = conn.Close() }()
	must(io.WriteString(conn, "GET /datasets/d/zarr/k HTTP/1.1\r\nHost: x\r\n\r\n"))
	time.Sleep(200 * time.Millisecond) // longer than the request may take
	if n, _ := io.Copy(io.Discard, conn); n >= 64<<20 {
		t.Errorf("all %d bytes arrived", n)
	}
}

// unversioned is a store without versions.
type unversioned struct{ store.Store }

func (s unversioned) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := s.Store.Get(ctx, key, o, buf)
	v.Version = ""
	return v, err
}

// TestBrokenList checks that a client notices that a listing has failed after its begin was sent.
func TestBrokenList(t *testing.T) {
	st := filled(t)
	for i := range 2000 {
		must(st.Put(t.Context(), fmt.Sprintf("d/a long name of a value %d", i), nil, store.PutOptions{}))
	}
	var pages atomic.Int64
	broken := store.Around(st, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
		if pages.Add(1) > 1 {
			return nil, fault.Unavailable
		}
		return ctx, nil
	}})
	url := start(t, serve.Options{}, serve.Dataset{ID: "d", Store: broken}) + "/datasets/d/zarr/"
	for _, path := range []string{"?list", "d/"} {
		pages.Store(0)
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err == nil || resp.StatusCode != http.StatusOK || len(b) == 0 {
			t.Errorf("%s: %s, %d bytes, %v", path, resp.Status, len(b), err)
		}
	}
}

// listen serves with Server.Serve until the returned function is called.
func listen(t *testing.T, s *serve.Server) (addr string, end func()) {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, 200*time.Millisecond) }()
	return l.Addr().String(), sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestKilledClient checks that the end of a client ends its requests to the source, and that nothing
// of it remains.
func TestKilledClient(t *testing.T) {
	st, waiting, release := blocked(filled(t, "k", "v"))
	defer release()
	s := must(serve.New(serve.Options{}, serve.Dataset{ID: "d", Store: st}))
	before := runtime.NumGoroutine()
	addr, end := listen(t, s)
	for range 20 {
		conn := must(net.Dial("tcp", addr))
		must(io.WriteString(conn, "GET /datasets/d/zarr/k HTTP/1.1\r\nHost: x\r\n\r\n"))
		defer func() { _ = conn.Close() }()
		eventually(t, "the request arrived", func() bool { return waiting.Load() == 1 })
		_ = conn.Close()
		eventually(t, "the request ended", func() bool { return waiting.Load() == 0 })
	}
	eventually(t, "no goroutine remains", func() bool { return runtime.NumGoroutine() <= before+2 }) // the server has two
	end()
	eventually(t, "the server ended", func() bool { return runtime.NumGoroutine() <= before })
}

// TestShutdown checks that requests that run are finished if they end in time, and are ended
// otherwise, and that no new ones are accepted.
func TestShutdown(t *testing.T) {
	for _, intime := range []bool{true, false} {
		t.Run(fmt.Sprint(intime), func(t *testing.T) {
			st, waiting, release := blocked(filled(t, "k", "v"))
			defer release()
			s := must(serve.New(serve.Options{}, serve.Dataset{ID: "d", Store: st}))
			addr, end := listen(t, s)
			answer := make(chan reply, 1)
			go func() {
				defer close(answer) // also if send fails the test
				answer <- send(t, "GET", "http://"+addr+"/datasets/d/zarr/k")
			}()
			eventually(t, "the request arrived", func() bool { return waiting.Load() == 1 })
			if intime {
				time.AfterFunc(50*time.Millisecond, release)
			}
			end()
			if intime {
				(<-answer).expect(t, 200, "=v")
			} else {
				(<-answer).expect(t, 503)
			}
			if conn, err := net.Dial("tcp", addr); err == nil {
				_ = conn.Close()
				t.Error("the server still listens")
			}
		})
	}
}

// TestOrigins checks that only pages of named origins, and only requests by a permitted name, are
// served.
func TestOrigins(t *testing.T) {
	st := filled(t, "k", "v")
	url := start(t, serve.Options{Origins: []string{"https://a.example"}, Hosts: []string{"localhost", "::1"}}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/zarr/k"
	send(t, "GET", url, "Host: localhost", "Origin: https://a.example").expect(t, 200, "Access-Control-Allow-Origin: https://a.example", "Vary: Origin")
	send(t, "GET", url, "Host: [::1]:80", "Origin: https://b.example").expect(t, 200, "!Access-Control-Allow-Origin", "Vary: Origin")
	send(t, "OPTIONS", url, "Host: LOCALHOST:8", "Origin: https://a.example").expect(t, 204, "Access-Control-Allow-Methods: GET, HEAD, OPTIONS")
	send(t, "OPTIONS", url, "Host: localhost", "Origin: https://a.example.b").expect(t, 204, "!Access-Control-Allow-Methods")
	send(t, "GET", url, "Host: rebound.example").expect(t, 421)
	send(t, "GET", start(t, serve.Options{Origins: []string{"*"}}, serve.Dataset{ID: "d", Store: st})+"/datasets").expect(t, 200, "Access-Control-Allow-Origin: *")
}

// TestLog checks the record of a request.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	var traced atomic.Bool
	st := store.Around(filled(t, "k", "0123"), store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
		store.TraceOf(ctx).Hit(ctx, store.Hit{})
		return ctx, nil
	}})
	o := serve.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Trace: &store.Trace{Hit: func(context.Context, store.Hit) { traced.Store(true) }}}
	s := must(serve.New(o, serve.Dataset{ID: "d", Store: st}))
	addr, end := listen(t, s)
	send(t, "GET", "http://"+addr+"/datasets/d/zarr/k?token=secret", "Range: bytes=1-2", "Authorization: secret")
	end()
	if text := log.String(); !strings.Contains(text, "method=GET path=/datasets/d/zarr/k status=206 bytes=2 took=") || !strings.Contains(text, "source_requests=1 source_bytes=2") || strings.Contains(text, "secret") {
		t.Error(text)
	}
	if !traced.Load() {
		t.Error("the trace was not called")
	}
}

// TestNew checks which datasets are refused.
func TestNew(t *testing.T) {
	st := filled(t)
	for _, tt := range []struct {
		name     string
		datasets []serve.Dataset
		want     error
	}{
		{"none", nil, nil},
		{"no ID", []serve.Dataset{{Store: st}}, fault.Path},
		{"two segments", []serve.Dataset{{ID: "a/b", Store: st}}, fault.Path},
		{"parent", []serve.Dataset{{ID: "..", Store: st}}, fault.Path},
		{"twice", []serve.Dataset{{ID: "a", Store: st}, {ID: "a", Store: st}}, fault.Exists},
		{"bad path", []serve.Dataset{{ID: "a", Store: st, Path: "../x"}}, fault.Path},
	} {
		if _, err := serve.New(serve.Options{}, tt.datasets...); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	send(t, "GET", start(t, serve.Options{})+"/datasets").expect(t, 200, "=[]\n")
}
