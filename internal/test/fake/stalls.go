package fake

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Stalls checks that a request without progress ends even if its context lacks a deadline. The
// error must be fault.Unavailable and no error of package context, and the retry layer must send
// the request again. For a store without writes and listings, version is "".
func Stalls(t *testing.T, p Provider, version store.Version) {
	srv, w := p.Serve(t)
	value := bytes.Repeat([]byte("value"), 100_000)
	if _, err := w.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	defer close(over)
	silent := func(http.ResponseWriter, *http.Request) bool {
		<-over
		return true
	}
	half := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/k") {
			return false
		}
		full := httptest.NewRecorder()
		srv.serve(full, r)
		maps.Copy(w.Header(), full.Header())
		w.WriteHeader(full.Code)
		_, _ = w.Write(full.Body.Bytes()[:full.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		<-over
		return true
	}
	put := func(o store.PutOptions) func(context.Context, store.Store) error {
		return func(ctx context.Context, st store.Store) error { return putError(ctx, st, o) }
	}
	big := make([]byte, 32<<20) // more than the buffers of the sockets
	for _, c := range []struct {
		name   string
		answer Answer
		write  bool
		do     func(context.Context, store.Store) error
	}{
		{"get", silent, false, func(ctx context.Context, st store.Store) error { return getError(ctx, st, store.GetOptions{}) }},
		{"get last", silent, false, func(ctx context.Context, st store.Store) error {
			return getError(ctx, st, store.GetOptions{Range: store.Suffix(3)})
		}},
		{"half a body", half, false, func(ctx context.Context, st store.Store) error { return getError(ctx, st, store.GetOptions{}) }},
		{"put", silent, true, put(store.PutOptions{})},
		{"put if absent", silent, true, put(store.PutOptions{IfAbsent: true})},
		{"put a version", silent, true, put(store.PutOptions{IfVersion: version})},
		{"put of 32 MiB", silent, true, func(ctx context.Context, st store.Store) error {
			_, err := st.Put(ctx, "k", big, store.PutOptions{})
			return err
		}},
		{"delete", silent, true, func(ctx context.Context, st store.Store) error {
			return st.Delete(ctx, "k", store.DeleteOptions{})
		}},
		{"list", silent, true, func(ctx context.Context, st store.Store) error { return ListError(ctx, st, store.Deep) }},
	} {
		if c.write && version == "" {
			continue // the store is read-only
		}
		t.Run(c.name, func(t *testing.T) {
			srv.Answer(c.answer)
			defer srv.Answer(nil)
			err := c.do(context.Background(), p.Impatient(t, srv.URL, shortStall, retry.Tries(1)))
			WantKind(t, err, fault.Unavailable)
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || err == nil || !strings.Contains(err.Error(), "stalled") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("tried again", func(t *testing.T) {
		for name, answer := range map[string]Answer{"header": silent, "body": half} {
			var n atomic.Int64
			srv.Answer(func(w http.ResponseWriter, r *http.Request) bool { return n.Add(1) == 1 && answer(w, r) })
			v, err := p.Impatient(t, srv.URL, longStall).Get(context.Background(), "k", store.GetOptions{}, nil)
			if err != nil || !bytes.Equal(v.Bytes, value) || n.Load() != 2 {
				t.Errorf("%s: %d bytes after %d requests, %v", name, len(v.Bytes), n.Load(), err)
			}
		}
		srv.Answer(nil)
	})
}

// Stall limits of the tests. shortStall is for requests that stall. longStall is for requests that
// must not stall, and is much longer than a local response takes.
const (
	shortStall = 50 * time.Millisecond
	longStall  = 2 * time.Second
)
