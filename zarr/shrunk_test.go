package zarr_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// TestChunksOutsideTheShape checks that stored chunks outside a reduced shape are not read, written
// or listed.
func TestChunksOutsideTheShape(t *testing.T) {
	was, is := []int{10, 6}, []int{5, 2}
	specs := map[string]zarr.Spec{
		"v2":          {Format: 2, Chunks: []int{4, 3}},
		"v2 nested":   {Format: 2, Chunks: []int{4, 3}, Separator: "/"},
		"v3":          {Chunks: []int{4, 3}},
		"rectilinear": {ChunkEdges: [][]int{{4, 4, 1, 1}, {3, 3}}},
		"shards":      {Shards: []int{4, 6}, Chunks: []int{2, 3}},
		"uneven":      {ShardEdges: [][]int{{2, 4, 6}, {3}}, Chunks: []int{2, 3}},
	}
	for name, spec := range specs {
		t.Run(name, func(t *testing.T) {
			st := mem.New()
			spec.Shape, spec.DType, spec.Fill = was, dtype.Float32, -1
			a := mustCreate(t, st, "g/x", spec)
			all := count(60)
			succeed(t, zarr.Write(t.Context(), a, all))
			m := *a.Metadata()
			m.Shape = is
			doc, key := []byte(nil), "g/x/zarr.json"
			var err error
			if m.Format == 3 {
				doc, err = m.EncodeV3()
			} else {
				key = "g/x/.zarray"
				doc, _, err = m.EncodeV2()
			}
			if err != nil {
				t.Fatal(err)
			}
			put(t, st, key, string(doc))

			inside := map[string]bool{key: true}
			if a, err = a.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i := range is[0] {
				for j := range is[1] {
					row, _, _ := a.ChunkAt(0, i)
					col, _, _ := a.ChunkAt(1, j)
					inside[a.ChunkKey(row, col)] = true
				}
			}
			outside := 0
			for _, k := range keys(t, st) {
				if strings.HasPrefix(k, "g/x/") && !inside[k] {
					put(t, st, k, "no chunk at all")
					outside++
				}
			}
			if outside == 0 {
				t.Fatal("nothing is stored outside")
			}
			want := make([]float32, is[0]*is[1])
			for i := range want {
				want[i] = all[i/is[1]*was[1]+i%is[1]]
			}
			check := func(what string) {
				t.Helper()
				if got, err := zarr.Read[float32](t.Context(), a); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %v, %v, want %v", what, got, err, want)
				}
				left := 0
				for _, k := range keys(t, st) {
					if strings.HasPrefix(k, "g/x/") && !inside[k] {
						if string(mustGet(t, st, k)) != "no chunk at all" {
							t.Errorf("%s: %s was written", what, k)
						}
						left++
					}
				}
				if left != outside {
					t.Errorf("%s: %d objects outside are left of %d", what, left, outside)
				}
			}
			check("as it was")
			want[3] = 77
			succeed(t, zarr.Write(t.Context(), a, []float32{77}, zarr.At(1), zarr.At(1)))
			check("one element written")
			for i := range want {
				want[i] = float32(100 + i)
			}
			succeed(t, zarr.Write(t.Context(), a, want))
			check("all of it written")
			if _, err := zarr.Read[float32](t.Context(), a, zarr.Range(5, 6)); err == nil {
				t.Error("row 5 was read")
			}

			g, err := zarr.OpenGroup(t.Context(), st, "g")
			if err != nil {
				t.Fatal(err)
			}
			if got := paths(t, g); !slices.Equal(got, []string{"g/x"}) {
				t.Errorf("below the group %v", got)
			}
			if l, err := upkeep.CheckKeys(t.Context(), a); err != nil || l.Other() != "" {
				t.Errorf("keys %v, %v", l, err)
			}
			if g, err = g.Consolidate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if stale, err := upkeep.CheckConsolidated(t.Context(), g); err != nil || len(stale) > 0 {
				t.Errorf("consolidated %v, %v", stale, err)
			}
			// Writing fill values deletes only chunks that become all fill value. Elements beyond
			// the shape remain.
			for i := range want {
				want[i] = -1
			}
			succeed(t, zarr.Write(t.Context(), a, want))
			check("nothing left")
			for i := range is[0] {
				for j := range is[1] {
					row, top, rows := a.ChunkAt(0, i)
					col, left, cols := a.ChunkAt(1, j)
					k := a.ChunkKey(row, col)
					_, err := st.Get(t.Context(), k, store.GetOptions{}, nil)
					if beyond := min(top+rows, was[0]) > is[0] || min(left+cols, was[1]) > is[1]; beyond != (err == nil) {
						t.Errorf("%s, which has elements beyond the shape: %v; %v", k, beyond, err)
					}
				}
			}
		})
	}
}
