package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// listen returns a context with a trace that appends its events to lines.
func listen(ctx context.Context, lines *[]string) context.Context {
	return store.WithTrace(ctx, &store.Trace{
		FirstByte: func(_ context.Context, f store.FirstByte) {
			*lines = append(*lines, fmt.Sprintf("head %s %s %d of %d after %v", f.Op, f.Key, f.Status, f.Announced, f.After))
		},
		Attempt: func(_ context.Context, a store.Attempt) {
			line := fmt.Sprintf("%s %s %s %s %d sent %d received %d (%d) first %v took %v", a.Op, a.Key, a.Method, a.Host, a.Status,
				a.Sent, a.Received, a.Wire(), a.FirstByte, a.Took)
			if a.Err != nil {
				line += " " + a.Err.Error()
			}
			*lines = append(*lines, line)
		},
	})
}

func TestTraced(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 10)
	answer := func(r *http.Request, status int, body string) *http.Response {
		return &http.Response{StatusCode: status, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r}
	}
	broken := errors.New("broken")
	tests := []struct {
		name   string
		method string
		do     Doer
		use    func(*http.Response)
		want   []string
	}{
		{"read to the end", "GET", func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answer(r, 200, "hello"), nil
		}, func(r *http.Response) {
			time.Sleep(2 * time.Second)
			_, _ = io.ReadAll(r.Body)
			time.Sleep(time.Hour)
			_ = r.Body.Close()
		}, []string{"head get k 200 of 5 after 1s", "get k GET host.example 200 sent 0 received 5 (5) first 1s took 3s"}},
		{"closed before its end", "GET", func(r *http.Request) (*http.Response, error) { return answer(r, 200, "hello"), nil }, func(r *http.Response) {
			_, _ = r.Body.Read(make([]byte, 2))
			_ = r.Body.Close()
			_ = r.Body.Close()
		}, []string{"head get k 200 of 5 after 0s", "get k GET host.example 200 sent 0 received 2 (2) first 0s took 0s"}},
		{"no body", "PUT", func(r *http.Request) (*http.Response, error) {
			_, _ = io.ReadAll(r.Body)
			return &http.Response{StatusCode: 412, Body: http.NoBody}, nil
		}, func(*http.Response) {}, []string{"head get k 412 of 0 after 0s", "get k PUT host.example 412 sent 10 received 0 (10) first 0s took 0s"}},
		{"a failure", "PUT", func(r *http.Request) (*http.Response, error) {
			_, _ = r.Body.Read(make([]byte, 3))
			return nil, broken
		}, nil, []string{"get k PUT host.example 0 sent 3 received 0 (3) first 0s took 0s broken"}},
		{"a body that breaks", "GET", func(r *http.Request) (*http.Response, error) {
			a := answer(r, 200, "")
			a.Body, a.ContentLength = io.NopCloser(io.MultiReader(bytes.NewReader([]byte("he")), iotest.ErrReader(broken))), 5
			return a, nil
		}, func(r *http.Response) { _, _ = io.ReadAll(r.Body) }, []string{"head get k 200 of 5 after 0s", "get k GET host.example 200 sent 0 received 2 (2) first 0s took 0s broken"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var lines []string
				ctx := withCall(listen(t.Context(), &lines), store.Call{Op: store.OpGet, Key: "k"})
				var sent io.Reader
				if tt.method == "PUT" {
					sent = bytes.NewReader(body)
				}
				r, err := http.NewRequestWithContext(ctx, tt.method, "http://host.example/x", sent)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := Traced(tt.do)(r)
				if err == nil {
					tt.use(resp)
					_ = resp.Body.Close()
				}
				if fmt.Sprint(lines) != fmt.Sprint(tt.want) {
					t.Errorf("got  %q\nwant %q", lines, tt.want)
				}
			})
		})
	}
}

// TestTracedPassesOn checks that request and response are passed on unchanged without a trace.
func TestTracedPassesOn(t *testing.T) {
	r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://host.example/", bytes.NewReader([]byte("x")))
	if err != nil {
		t.Fatal(err)
	}
	want := &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(nil))}
	body := want.Body
	resp, err := Traced(func(got *http.Request) (*http.Response, error) {
		if got != r {
			t.Error("another request")
		}
		return want, nil
	})(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp != want || resp.Body != body {
		t.Error("another answer")
	}
}

// TestTracedStall checks that a stalled request is reported with the error that its caller
// receives.
func TestTracedStall(t *testing.T) {
	play(t, func(_ *testing.T, c net.Conn) { _, _ = io.Copy(io.Discard, c) }, func(t *testing.T, rt http.RoundTripper) {
		var lines []string
		_, err := get(listen(t.Context(), &lines), t, TracedTransport(rt))
		if want := []string{fmt.Sprintf("  GET host.example 0 sent 0 received 0 (0) first 0s took 33s %v", err)}; fmt.Sprint(lines) != fmt.Sprint(want) || err == nil {
			t.Errorf("got %q, want %q", lines, want)
		}
	})
}

// attempts returns a context with a trace that appends all attempts to list.
func attempts(ctx context.Context, list *[]store.Attempt) context.Context {
	return store.WithTrace(ctx, &store.Trace{Attempt: func(_ context.Context, a store.Attempt) { *list = append(*list, a) }})
}

// TestTracedConnection checks what attempts report about their connections over TLS.
func TestTracedConnection(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	defer srv.Close()
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: x509.NewCertPool()}}
	tr.TLSClientConfig.RootCAs.AddCert(srv.Certificate())
	Connections(tr, 4)
	pool, release := (&Stack{Limits: &concurrency.Limits{}}).Transport("", tr)
	defer func() { _ = release() }()
	for name, do := range map[string]Doer{
		"pool":  Traced(Watch(0, pool.RoundTrip)),
		"other": Traced(Watch(0, srv.Client().Do)),
	} {
		t.Run(name, func(t *testing.T) {
			var got []store.Attempt
			for range 2 {
				r, err := http.NewRequestWithContext(attempts(t.Context(), &got), http.MethodGet, srv.URL, nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := do(r)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			for i, a := range got {
				if a.Reused != (i == 1) || a.Remote != srv.Listener.Addr().String() || (a.TLS > 0) != (name == "pool" && i == 0) {
					t.Errorf("attempt %d: %+v", i, a)
				}
			}
			if len(got) != 2 {
				t.Errorf("%d attempts", len(got))
			}
		})
	}
}

// TestTracedTrial checks that both requests of a failed trial are reported.
func TestTracedTrial(t *testing.T) {
	s := &server{answer: forgetting(30 * time.Millisecond)}
	pooling(t, s, func(t *testing.T, rt http.RoundTripper) {
		var got []store.Attempt
		ctx := attempts(t.Context(), &got)
		for range 2 {
			if _, err := get(ctx, t, TracedTransport(rt)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		var lines []string
		for _, a := range got {
			lines = append(lines, fmt.Sprintf("%d %t %v %v", a.Status, a.Reused, a.Took, a.Err))
		}
		want := []string{"200 false 30ms <nil>", "0 true 1s stalled: no answer came over an idle connection for 1s", "200 false 30ms <nil>"}
		if !slices.Equal(lines, want) {
			t.Errorf("got  %q\nwant %q", lines, want)
		}
	})
}

func TestCallOf(t *testing.T) {
	if c := callOf(t.Context()); c != (store.Call{}) {
		t.Errorf("%+v", c)
	}
	want := store.Call{Op: store.OpGet, Key: "k", Count: 1}
	if c := callOf(withCall(t.Context(), want)); c != want {
		t.Errorf("%+v", c)
	}
}
