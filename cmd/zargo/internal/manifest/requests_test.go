package manifest_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/manifest"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRequests checks that there is one listing, and one read for each value, or for each 8 MiB of
// it. A check reads only values that are in the manifest and in the store.
func TestRequests(t *testing.T) {
	under := mem.New()
	var mu sync.Mutex
	n := map[string]int{}
	st := store.Observe(under, func(_ context.Context, e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		n[string(e.Op)]++
	})
	for i := range 20 {
		put(t, under, fmt.Sprintf("a/%d", i), []byte("a chunk"))
	}
	put(t, under, "empty", nil)
	put(t, under, "whole", make([]byte, 8<<20))
	put(t, under, "long", make([]byte, 16<<20+1))
	var b bytes.Buffer
	succeed(t, manifest.Write(t.Context(), st, &b, manifest.Options{}))
	if n["list"] != 1 || n["get"] != 22+3 || len(n) != 2 {
		t.Errorf("write: %v", n)
	}
	clear(n)
	for i := range 5 {
		put(t, under, fmt.Sprintf("extra/%d", i), nil)
		succeed(t, under.Delete(t.Context(), fmt.Sprintf("a/%d", i), store.DeleteOptions{}))
	}
	r, err := manifest.Check(t.Context(), st, &b, manifest.Options{})
	if err != nil || r.Same != 18 || len(r.Missing) != 5 || len(r.Extra) != 5 {
		t.Fatal(r, err)
	}
	if n["list"] != 1 || n["get"] != 17+3 || len(n) != 2 {
		t.Errorf("check: %v", n)
	}
}
