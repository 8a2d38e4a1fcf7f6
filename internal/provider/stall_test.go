package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// play runs do in a synctest bubble with a transport whose connections are served by serve.
func play(t *testing.T, serve func(t *testing.T, c net.Conn), do func(t *testing.T, rt http.RoundTripper)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tr := &http.Transport{}
		Connections(tr, 4)
		tr.DialContext = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go serve(t, there)
			return here, nil
		}
		do(t, Watched(DefaultStall, tr))
		tr.CloseIdleConnections()
	})
}

func get(ctx context.Context, t *testing.T, rt http.RoundTripper) (string, error) {
	t.Helper()
	return exchange(ctx, t, rt, http.MethodGet, nil)
}

func exchange(ctx context.Context, t *testing.T, rt http.RoundTripper, method string, body io.Reader) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://host.example/k", body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rt.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// request reads the header of a request, and reports whether there was one.
func request(c net.Conn) bool {
	var head []byte
	for b := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); head = append(head, b...) {
		if _, err := io.ReadFull(c, b); err != nil {
			return false
		}
	}
	return true
}

// wantStall checks that err is a StallError of kind fault.Unavailable, and not an error of package
// context. took must be from after to 1.2*after.
func wantStall(t *testing.T, err error, took, after time.Duration) {
	t.Helper()
	var stall *StallError
	if !errors.As(err, &stall) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if kind := NoAnswer(err).Kind; kind != error(fault.Unavailable) {
		t.Errorf("its kind is %v", kind)
	}
	if took < after || took > after+after/5 {
		t.Errorf("given up after %v, want %v: %v", took, after, err)
	}
}

func TestStalledHeader(t *testing.T) {
	play(t, func(_ *testing.T, c net.Conn) {
		request(c)
		_, _ = io.Copy(io.Discard, c)
	}, func(t *testing.T, rt http.RoundTripper) {
		start := time.Now()
		_, err := get(t.Context(), t, rt)
		wantStall(t, err, time.Since(start), DefaultStall)
	})
}

// TestPatience checks that the response to a write may take two stall limits, and one marked with
// SlowAnswer ten.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		name  string
		ctx   func(context.Context) context.Context
		after time.Duration
	}{
		{"write", func(ctx context.Context) context.Context { return ctx }, 2 * DefaultStall},
		{"slow", SlowAnswer, 10 * DefaultStall},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, func(_ *testing.T, c net.Conn) {
				_, _ = io.Copy(io.Discard, c)
			}, func(t *testing.T, rt http.RoundTripper) {
				start := time.Now()
				_, err := exchange(c.ctx(t.Context()), t, rt, http.MethodPut, strings.NewReader("value"))
				wantStall(t, err, time.Since(start), c.after)
			})
		})
	}
}

func TestStalledBody(t *testing.T) {
	play(t, func(_ *testing.T, c net.Conn) {
		request(c)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf ")
		_, _ = io.Copy(io.Discard, c)
	}, func(t *testing.T, rt http.RoundTripper) {
		start := time.Now()
		got, err := get(t.Context(), t, rt)
		wantStall(t, err, time.Since(start), DefaultStall)
		if got != "half " {
			t.Errorf("what had arrived is lost: %q", got)
		}
	})
}

// TestStalledUpload checks that an upload stalls if the server stops reading.
func TestStalledUpload(t *testing.T) {
	play(t, func(_ *testing.T, c net.Conn) {
		request(c)
		_, _ = io.CopyN(io.Discard, c, 100_000)
	}, func(t *testing.T, rt http.RoundTripper) {
		start := time.Now()
		_, err := exchange(t.Context(), t, rt, http.MethodPut, bytes.NewReader(make([]byte, 1<<20)))
		wantStall(t, err, time.Since(start), DefaultStall)
	})
}

// TestSlowIsNoStall checks that a slow request with progress does not stall: a response with one
// byte every 29 s, and an upload at a similar rate.
func TestSlowIsNoStall(t *testing.T) {
	const n = 20
	t.Run("answer", func(t *testing.T) {
		play(t, func(_ *testing.T, c net.Conn) {
			request(c)
			time.Sleep(26 * time.Second)
			_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", n)
			for range n {
				time.Sleep(29 * time.Second)
				_, _ = io.WriteString(c, "x")
			}
			_ = c.Close()
		}, func(t *testing.T, rt http.RoundTripper) {
			if got, err := get(t.Context(), t, rt); err != nil || len(got) != n {
				t.Errorf("%q, %v", got, err)
			}
		})
	})
	t.Run("upload", func(t *testing.T) {
		play(t, func(_ *testing.T, c net.Conn) {
			request(c)
			for range n {
				time.Sleep(29 * time.Second)
				_, _ = io.CopyN(io.Discard, c, 64<<10)
			}
			time.Sleep(50 * time.Second)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}, func(t *testing.T, rt http.RoundTripper) {
			if _, err := exchange(t.Context(), t, rt, http.MethodPut, bytes.NewReader(make([]byte, n*64<<10))); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestInterimAnswersAreNoStall checks that a 1xx response counts as progress.
func TestInterimAnswersAreNoStall(t *testing.T) {
	play(t, func(_ *testing.T, c net.Conn) {
		request(c)
		for range 4 {
			time.Sleep(25 * time.Second)
			_, _ = io.WriteString(c, "HTTP/1.1 102 Processing\r\n\r\n")
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		_ = c.Close()
	}, func(t *testing.T, rt http.RoundTripper) {
		if got, err := get(t.Context(), t, rt); got != "ok" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// TestIdleIsNoStall checks that an idle connection does not stall, nor a response that the caller
// does not read.
func TestIdleIsNoStall(t *testing.T) {
	play(t, func(_ *testing.T, c net.Conn) {
		for range 2 {
			request(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
		_ = c.Close()
	}, func(t *testing.T, rt http.RoundTripper) {
		if got, err := get(t.Context(), t, rt); got != "ok" || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
		time.Sleep(80 * time.Second) // the transport keeps idle connections for 90 s
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://host.example/k", nil)
		resp, err := rt.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if got, err := io.ReadAll(resp.Body); string(got) != "ok" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		_ = resp.Body.Close()
	})
}

// TestWaitingForAConnectionIsNoStall checks that requests do not stall while they wait for a
// connection.
func TestWaitingForAConnectionIsNoStall(t *testing.T) {
	play(t, func(_ *testing.T, c net.Conn) {
		for request(c) {
			time.Sleep(25 * time.Second)
			if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
				return
			}
		}
	}, func(t *testing.T, rt http.RoundTripper) {
		failed := make(chan error)
		for range 12 { // over 4 connections
			go func() {
				_, err := get(t.Context(), t, rt)
				failed <- err
			}()
		}
		for range 12 {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestStallAndDeadline checks that the error of the caller's deadline is not a StallError.
func TestStallAndDeadline(t *testing.T) {
	play(t, func(_ *testing.T, c net.Conn) {
		_, _ = io.Copy(io.Discard, c)
	}, func(t *testing.T, rt http.RoundTripper) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := get(ctx, t, rt); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func BenchmarkWatch(b *testing.B) {
	body := []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	tr := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			for request(there) {
				if _, err := there.Write(body); err != nil {
					return
				}
			}
		}()
		return here, nil
	}}
	defer tr.CloseIdleConnections()
	for name, rt := range map[string]http.RoundTripper{"without": tr, "with": Watched(0, tr)} {
		b.Run("watch="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://host.example/k", nil)
				resp, err := rt.RoundTrip(r)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
}
