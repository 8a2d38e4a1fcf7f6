package fake

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Unsent checks that the error of a write that got no connection has a method Unsent. The retry
// layer must then send the write again without reading the value first.
func Unsent(t *testing.T, p Provider, version store.Version) {
	gone := httptest.NewServer(nil)
	gone.Close()
	broken := ClosesAtOnce(t)
	for _, c := range []struct {
		name, url string
		rt        http.RoundTripper
		want      bool
	}{
		{"connection refused", gone.URL, nil, true},
		{"no such host", "https://host.example", dials(&net.DNSError{Err: "no such host", IsNotFound: true}), true},
		{"name server fails", "https://host.example", dials(&net.DNSError{Err: "misbehaving", IsTemporary: true}), true},
		{"TLS handshake", "https://" + broken, nil, true},
		{"connection cut", "http://" + broken, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := p.Open(t, c.url, c.rt, retry.Tries(1))
			for name, err := range map[string]error{
				"put":           putError(t.Context(), st, store.PutOptions{}),
				"put if absent": putError(t.Context(), st, store.PutOptions{IfAbsent: true}),
				"put a version": putError(t.Context(), st, store.PutOptions{IfVersion: version}),
				"delete":        st.Delete(t.Context(), "k", store.DeleteOptions{}),
			} {
				var unsent interface{ Unsent() bool }
				if err == nil || errors.As(err, &unsent) != c.want {
					t.Errorf("%s: unsent is %v: %v", name, unsent != nil, err)
				}
			}
		})
	}
	t.Run("not read back", func(t *testing.T) {
		var dialled atomic.Int64
		st := p.Open(t, "https://host.example", &http.Transport{DialContext: func(_ context.Context, network, _ string) (net.Conn, error) {
			dialled.Add(1)
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("no route")}
		}}, retry.Tries(3), retry.Backoff(1, 1))
		WantKind(t, putError(t.Context(), st, store.PutOptions{IfAbsent: true}), fault.Unavailable)
		if n := dialled.Load(); n != 3 {
			t.Errorf("%d requests for 3 tries", n)
		}
	})
}

func putError(ctx context.Context, st store.Store, o store.PutOptions) error {
	_, err := st.Put(ctx, "k", []byte("value"), o)
	return err
}

// ClosesAtOnce starts a listener that accepts connections and closes them immediately. It returns
// its host and port.
func ClosesAtOnce(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// Hanging checks that calls end with their context if the server accepts a request, but neither
// reads the body of the request nor responds. It also checks that the store does not read the value
// after Put has returned.
func Hanging(t *testing.T, p Provider, version store.Version) {
	srv, _ := p.Serve(t)
	over := make(chan struct{})
	defer close(over)
	srv.Answer(func(http.ResponseWriter, *http.Request) bool {
		<-over
		return true
	})
	value := make([]byte, 32<<20) // more than the buffers of the sockets
	st := p.Open(t, srv.URL, nil)
	for _, c := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"get", func(ctx context.Context) error { return getError(ctx, st, store.GetOptions{}) }},
		{"get last", func(ctx context.Context) error { return getError(ctx, st, store.GetOptions{Range: store.Suffix(3)}) }},
		{"put", func(ctx context.Context) error { return putError(ctx, st, store.PutOptions{}) }},
		{"put if absent", func(ctx context.Context) error { return putError(ctx, st, store.PutOptions{IfAbsent: true}) }},
		{"put a version", func(ctx context.Context) error { return putError(ctx, st, store.PutOptions{IfVersion: version}) }},
		{"put of 32 MiB", func(ctx context.Context) error {
			_, err := st.Put(ctx, "k", value, store.PutOptions{})
			clear(value) // a data race if the value is still being read
			return err
		}},
		{"delete", func(ctx context.Context) error { return st.Delete(ctx, "k", store.DeleteOptions{}) }},
		{"list", func(ctx context.Context) error { return ListError(ctx, st, store.Deep) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if err := c.do(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func getError(ctx context.Context, st store.Store, o store.GetOptions) error {
	_, err := st.Get(ctx, "k", o, nil)
	return err
}
