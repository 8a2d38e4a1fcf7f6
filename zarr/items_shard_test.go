package zarr_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestStringsInShards writes parts of shards of strings and reads parts of them.
func TestStringsInShards(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{20}, Chunks: []int{2}, Shards: []int{8}, DType: dtype.String, Fill: "-"})
	want := slices.Repeat([]string{"-"}, 20)
	for _, r := range [][2]int{{3, 5}, {0, 8}, {6, 17}, {19, 20}} {
		part := make([]string, r[1]-r[0])
		for i := range part {
			part[i] = fmt.Sprint(r, "é", i)
			want[r[0]+i] = part[i]
		}
		succeed(t, zarr.Write(t.Context(), a, part, zarr.Range(r[0], r[1])))
		if got, err := zarr.Read[string](t.Context(), a); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
		if got, err := zarr.Read[string](t.Context(), a, zarr.Range(4, 12)); err != nil || !slices.Equal(got, want[4:12]) {
			t.Fatalf("%q, %v, want %q", got, err, want[4:12])
		}
	}
}
