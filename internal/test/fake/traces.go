package fake

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Traces checks that a trace receives each HTTP request with its operation, key and transferred
// bytes, and each retry.
func Traces(t *testing.T, p Provider, writes bool) {
	srv, w := p.Serve(t)
	value := bytes.Repeat([]byte("value"), 1000)
	if _, err := w.Put(t.Context(), "k", value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	st := p.Open(t, srv.URL, nil, retry.Backoff(1, 1))
	var mu sync.Mutex
	var attempts []store.Attempt
	var heads, retries int
	ctx := store.WithTrace(t.Context(), &store.Trace{
		Attempt: func(_ context.Context, a store.Attempt) {
			mu.Lock()
			defer mu.Unlock()
			attempts = append(attempts, a)
		},
		FirstByte: func(context.Context, store.FirstByte) { mu.Lock(); heads++; mu.Unlock() },
		Retry:     func(context.Context, store.Retry) { mu.Lock(); retries++; mu.Unlock() },
	})
	// check compares the events of one call with the requests that the server received.
	check := func(op store.Op, key string, sent, received int64, again int) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if n := len(srv.Requests()); n == 0 || n != len(attempts) || n != heads {
			t.Errorf("%s: %d requests, %d attempts, %d heads", op, n, len(attempts), heads)
		}
		var got store.Attempt
		for _, a := range attempts {
			got.Sent += a.Sent
			got.Received += a.Received
			if a.Op != op || a.Key != key || a.Method == "" || a.Host == "" || a.Status == 0 || a.FirstByte > a.Took {
				t.Errorf("%s: %+v", op, a)
			}
		}
		if got.Sent < sent || got.Received < received || retries != again {
			t.Errorf("%s: sent %d, received %d, %d retries, want %d, %d, %d", op, got.Sent, got.Received, retries, sent, received, again)
		}
		attempts, heads, retries = nil, 0, 0
	}
	srv.Requests()
	if _, err := st.Get(ctx, "k", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	check(store.OpGet, "k", 0, int64(len(value)), 0)
	busy := false
	srv.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
		if busy {
			return false
		}
		busy = true
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	if _, err := st.Get(ctx, "k", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	check(store.OpGet, "k", 0, int64(len(value)), 1)
	if !writes {
		return
	}
	if _, err := st.Put(ctx, "k2", value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	check(store.OpPut, "k2", int64(len(value)), 0, 0)
	for _, err := range st.List(ctx, "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(store.OpList, "", 0, 1, 0)
}
