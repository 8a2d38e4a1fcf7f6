package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// gridIn returns the grid in the document of the array a.
func gridIn(t *testing.T, st store.Store) string {
	t.Helper()
	v := mustGet(t, st, "a/zarr.json")
	raw, err := meta.Member("a/zarr.json", v, "chunk_grid")
	if err != nil {
		t.Fatal(err)
	}
	_, shapes, _ := strings.Cut(strings.Join(strings.Fields(string(raw)), ""), `"chunk_shapes":`)
	return strings.TrimSuffix(shapes, "}}")
}

// TestGrowRectilinear compares grids with those that zarr-python 3.4.2 stores after resize and
// append. For sharded arrays, zarr-python refuses lengths that are not multiples of inner chunks.
func TestGrowRectilinear(t *testing.T) {
	for _, tt := range []struct {
		name          string
		shape, resize []int
		grid          string
	}{
		{"same", []int{9, 6}, []int{9, 6}, `[[2,3,4],3]`},
		{"one more", []int{9, 6}, []int{10, 6}, `[[2,3,4,1],3]`},
		{"six more, both axes", []int{9, 6}, []int{15, 8}, `[[2,3,4,6],3]`},
		{"run", []int{9, 6}, []int{13, 6}, `[[2,3,[4,2]],3]`},
		{"shrunk", []int{9, 6}, []int{5, 6}, `[[2,3,4],3]`},
		{"grown within", []int{7, 6}, []int{9, 6}, `[[2,3,4],3]`},
		{"grown from within", []int{7, 6}, []int{12, 6}, `[[2,3,4,3],3]`},
		{"grown and shrunk", []int{9, 6}, []int{12, 2}, `[[2,3,4,3],3]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := mem.New()
			a := create(t, st, zarr.Spec{Shape: tt.shape, Grid: meta.Grid{Edges: []meta.Edges{meta.EdgesOf(2, 3, 4), {Every: 3}}}, DType: dtype.Int32, Fill: int32(-1)})
			all := make([]int32, tt.shape[0]*tt.shape[1])
			for i := range all {
				all[i] = int32(i)
			}
			succeed(t, zarr.Write(t.Context(), a, all))
			b, err := a.Resize(t.Context(), tt.resize, zarr.ResizeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := gridIn(t, st); got != tt.grid {
				t.Errorf("grid %s, want %s", got, tt.grid)
			}
			got := mustRead[int32](t, onStore(t, b, st))
			for i, v := range got {
				r, c := i/tt.resize[1], i%tt.resize[1]
				want := int32(-1)
				if r < tt.shape[0] && c < tt.shape[1] {
					want = int32(r*tt.shape[1] + c)
				}
				if v != want {
					t.Fatalf("element %d,%d is %d, want %d", r, c, v, want)
				}
			}
		})
	}
}

func TestAppendRectilinear(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{9}, ChunkEdges: [][]int{{2, 3, 4}}, DType: dtype.Int32})
	succeed(t, zarr.Write(t.Context(), a, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}))
	// An append that writes its rows and fails leaves a chunk whose length the grid has.
	_, err := a.AppendFunc(t.Context(), 0, 5, func(ctx context.Context, view *zarr.Array, from int) error {
		if err := zarr.Write(ctx, view, []int32{1, 1, 1, 1, 1}, zarr.Range(from, zarr.End)); err != nil {
			return err
		}
		return errors.New("failed")
	}, zarr.AppendOptions{})
	if err == nil || gridIn(t, st) != "[[2,3,4,5]]" || claims(t, st) != 0 {
		t.Fatalf("%v, %s", err, gridIn(t, st))
	}
	if a, err = a.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}
	for i, step := range []struct {
		n    int
		grid string
	}{{2, "[[2,3,4,5]]"}, {7, "[[2,3,4,5,4]]"}, {3, "[[2,3,4,5,4,3]]"}} {
		rows := slices.Repeat([]int32{int32(100 + i)}, step.n)
		want = append(want, rows...)
		if a, err = zarr.Append(t.Context(), a, 0, rows, zarr.AppendOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := gridIn(t, st); got != step.grid {
			t.Errorf("grid %s, want %s", got, step.grid)
		}
		wantValues(t, onStore(t, a, st), want...)
	}
	if a, err = a.Resize(t.Context(), []int{10}, zarr.ResizeOptions{}); err != nil {
		t.Fatal(err)
	}
	if a, err = zarr.Append(t.Context(), a, 0, []int32{7, 7}, zarr.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	wantValues(t, onStore(t, a, st), append(want[:10:10], 7, 7)...)
	if got := gridIn(t, st); got != "[[2,3,4,5,4,3]]" {
		t.Error(got)
	}
}

func TestGrowRectilinearShards(t *testing.T) {
	st := mem.New()
	a := create(t, st, zarr.Spec{Shape: []int{10}, ShardEdges: [][]int{{4, 6}}, Chunks: []int{2}, DType: dtype.Int32})
	b, err := zarr.Append(t.Context(), a, 0, []int32{7, 7, 7, 7}, zarr.AppendOptions{})
	if err != nil || gridIn(t, st) != "[[4,6,4]]" {
		t.Fatalf("%v, %s", err, gridIn(t, st))
	}
	wantValues(t, b, append(make([]int32, 10), 7, 7, 7, 7)...)
	if _, err = zarr.Append(t.Context(), b, 0, []int32{1, 2, 3}, zarr.AppendOptions{}); !errors.Is(err, fault.Selection) || claims(t, st) != 0 {
		t.Errorf("%v", err)
	}
	if !strings.Contains(fmt.Sprint(err), "inner chunks [2]") {
		t.Error(err)
	}
}
