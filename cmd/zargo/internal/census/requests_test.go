package census_test

import (
	"context"
	"maps"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/census"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRequests checks that a census makes a listing, which does not depend on absent chunks, and
// reads the index of each stored shard. With Data it reads each stored chunk or whole shard. The
// report of the array counts these requests.
func TestRequests(t *testing.T) {
	tests := []struct {
		name string
		spec zarr.Spec
		data bool
		want map[string]int
	}{
		{"chunks", zarr.Spec{Chunks: []int{10, 10}}, false, map[string]int{"list": 1}},
		{"chunks, decoded", zarr.Spec{Chunks: []int{10, 10}}, true, map[string]int{"list": 1, "get": 20}},
		{"shards", zarr.Spec{Chunks: []int{5, 5}, Shards: []int{10, 10}}, false, map[string]int{"list": 1, "get": 20}},
		{"shards, decoded", zarr.Spec{Chunks: []int{5, 5}, Shards: []int{10, 10}}, true, map[string]int{"list": 1, "get": 40}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			under := mem.New()
			tt.spec.Shape = []int{100, 100}
			fill(t, create(t, under, tt.spec), 2000, zarr.Range(40, 60))
			var mu sync.Mutex
			var n map[string]int
			st := store.Observe(under, func(_ context.Context, e store.Event) {
				mu.Lock()
				defer mu.Unlock()
				if n != nil {
					n[string(e.Op)]++
				}
			})
			var r zarr.Report
			a, err := zarr.OpenArray(t.Context(), st, "a", zarr.WithReport(&r))
			if err != nil {
				t.Fatal(err)
			}
			opened := r.Gets.Load()
			n = map[string]int{}
			c := take(t, a, census.Options{Data: tt.data})
			if c.Present != 20 || c.Absent != 80 {
				t.Errorf("%+v", c)
			}
			if !maps.Equal(n, tt.want) {
				t.Errorf("%v, want %v", n, tt.want)
			}
			if r.Lists.Load() != int64(n["list"]) || r.Gets.Load()-opened != int64(n["get"]) {
				t.Errorf("%v are made, and the report has %v", n, &r)
			}
		})
	}
}
