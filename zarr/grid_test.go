package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// randomEdges divides an axis of n elements into chunks whose lengths are multiples of by,
// sometimes with chunks beyond the end.
func randomEdges(r *rand.Rand, n, by int) []int {
	if r.IntN(4) == 0 {
		return []int{by * (1 + r.IntN(3))}
	}
	edges := []int{}
	for sum := 0; sum < n || len(edges) < 2; {
		edges = append(edges, by*(1+r.IntN(4)))
		sum += edges[len(edges)-1]
	}
	return edges
}

// TestRectilinearText writes and reads elements of varying length in chunks of varying length.
func TestRectilinearText(t *testing.T) {
	for name, spec := range map[string]zarr.Spec{
		"chunks": {ChunkEdges: [][]int{{1, 4, 2, 4}}},
		"shards": {ShardEdges: [][]int{{4, 2, 6}}, Chunks: []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			spec.Shape, spec.DType = []int{10}, dtype.String
			a := mustCreate(t, mem.New(), "", spec)
			want := make([]string, 10)
			for i := range want {
				want[i] = strings.Repeat("x", i)
			}
			succeed(t, zarr.Write(t.Context(), a, want))
			want[3] = "three"
			succeed(t, zarr.Write(t.Context(), a, want[3:4], zarr.At(3)))
			if got, err := zarr.Read[string](t.Context(), a); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// TestRectilinearObjects checks the stored objects: the keys of chunks with elements, and chunks of
// the lengths in the grid, with the fill value beyond the array.
func TestRectilinearObjects(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{6, 3}, ChunkEdges: [][]int{{1, 3, 3, 5}, {2}}, DType: dtype.Uint8, Fill: 9, Codecs: []codec.Spec{}})
	values := make([]uint8, 18)
	for i := range values {
		values[i] = uint8(i + 10)
	}
	succeed(t, zarr.Write(t.Context(), a, values))
	want := map[string][]byte{
		"x/c/0/0": {10, 11}, "x/c/0/1": {12, 9},
		"x/c/1/0": {13, 14, 16, 17, 19, 20}, "x/c/1/1": {15, 9, 18, 9, 21, 9},
		"x/c/2/0": {22, 23, 25, 26, 9, 9}, "x/c/2/1": {24, 9, 27, 9, 9, 9},
	}
	for _, k := range keys(t, st) {
		v, err := st.Get(t.Context(), k, store.GetOptions{}, nil)
		if !strings.HasPrefix(k, "x/c/") {
			continue
		}
		if err != nil || !bytes.Equal(v.Bytes, want[k]) {
			t.Errorf("%s is %v, %v, want %v", k, v.Bytes, err, want[k])
		}
		delete(want, k)
	}
	if len(want) > 0 {
		t.Errorf("not stored: %v", want)
	}
	// A chunk of another length is invalid.
	succeed(t, second(st.Put(t.Context(), "x/c/1/0", make([]byte, 8), store.PutOptions{})))
	if _, err := zarr.Read[uint8](t.Context(), a); !errors.Is(err, zarr.ErrCorrupt) {
		t.Errorf("8 bytes for 6: %v", err)
	}
}

// TestRectilinearRequests checks that wholly written chunks are not read, and that other chunks are
// requested once.
func TestRectilinearRequests(t *testing.T) {
	tests := []struct {
		name             string
		sel              zarr.Selection
		gets, puts, dels int64
	}{
		{"everything", zarr.All, 0, 4, 0},
		{"the second chunk", zarr.Range(1, 4), 0, 1, 0},
		{"the last, which is longer than the array", zarr.Range(8, 10), 0, 1, 0},
		{"a part of the last", zarr.Range(9, 10), 1, 1, 0},
		{"two chunks and a part", zarr.Range(0, 5), 1, 3, 0},
		{"two blocks", zarr.Chunks(1, 3), 0, 2, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var rep zarr.Report
			a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: []int{10}, ChunkEdges: [][]int{{1, 3, 4, 7, 2}}, DType: dtype.Float32})
			a, err := a.With(zarr.WithReport(&rep))
			if err != nil {
				t.Fatal(err)
			}
			n, err := a.Selected(tt.sel)
			if err != nil {
				t.Fatal(err)
			}
			succeed(t, zarr.Write(t.Context(), a, count(n[0]), tt.sel))
			if rep.Gets.Load() != tt.gets || rep.Puts.Load() != tt.puts || rep.Deletes.Load() != tt.dels {
				t.Errorf("%v", &rep)
			}
		})
	}
}

func TestWhatAGridIs(t *testing.T) {
	uneven := [][]int{{1, 3, 4, 7, 2}, {5}}
	tests := []struct {
		name              string
		spec              zarr.Spec
		chunks, shards    []int
		regular, isShards bool
		edges             [][2]int // chunk boundaries of the first axis
		text              string
		grid              string
	}{
		{"regular", zarr.Spec{Chunks: []int{4, 5}}, []int{4, 5}, nil, true, false, [][2]int{{0, 4}, {4, 4}, {8, 4}}, "chunks [4 5] v3", "regular"},
		{"chunks", zarr.Spec{ChunkEdges: uneven}, nil, nil, false, false, [][2]int{{0, 1}, {1, 3}, {4, 4}, {8, 7}}, "chunks of up to [7 5] v3", "rectilinear"},
		{"one length each", zarr.Spec{ChunkEdges: [][]int{{4}, {5}}}, []int{4, 5}, nil, true, false, [][2]int{{0, 4}, {4, 4}, {8, 4}}, "chunks [4 5] v3", "regular"},
		{"a list of equal ones", zarr.Spec{ChunkEdges: [][]int{{6, 6}, {5}}}, []int{6, 5}, nil, true, false, [][2]int{{0, 6}, {6, 6}}, "chunks [6 5] v3", "rectilinear"},
		{"shards", zarr.Spec{ShardEdges: [][]int{{2, 6, 4}, {6, 3}}, Chunks: []int{2, 3}}, []int{2, 3}, nil, false, true, [][2]int{{0, 2}, {2, 6}, {8, 4}}, "chunks [2 3] in shards of up to [6 6] v3", "rectilinear"},
		{"chunks chosen for shards", zarr.Spec{ShardEdges: [][]int{{4, 6}, {6, 3}}}, []int{2, 3}, nil, false, true, [][2]int{{0, 4}, {4, 6}}, "chunks [2 3] in shards of up to [6 6] v3", "rectilinear"},
		{"shards of one shape", zarr.Spec{ShardEdges: [][]int{{6}, {3}}, Chunks: []int{2, 3}}, []int{2, 3}, []int{6, 3}, true, true, [][2]int{{0, 6}, {6, 6}}, "chunks [2 3] in shards [6 3] v3", "regular"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := mem.New()
			tt.spec.Shape, tt.spec.DType = []int{10, 7}, dtype.Int8
			a := mustCreate(t, st, "x", tt.spec)
			if !reflect.DeepEqual(a.Chunks(), tt.chunks) || !reflect.DeepEqual(a.Shards(), tt.shards) || a.Regular() != tt.regular || a.Sharded() != tt.isShards {
				t.Errorf("chunks %v, shards %v, regular %v, sharded %v", a.Chunks(), a.Shards(), a.Regular(), a.Sharded())
			}
			var got [][2]int
			for start, n := range a.Edges(0) {
				got = append(got, [2]int{start, n})
			}
			if !slices.Equal(got, tt.edges) {
				t.Errorf("edges %v, want %v", got, tt.edges)
			}
			for i, e := range tt.edges {
				for at := e[0]; at < min(e[0]+e[1], 10); at++ {
					if c, start, n := a.ChunkAt(0, at); c != i || start != e[0] || n != e[1] {
						t.Errorf("element %d is in chunk %d of %d+%d, want %d of %v", at, c, start, n, i, e)
					}
				}
			}
			for start, n := range a.Edges(0) {
				if start != 0 || n != tt.edges[0][1] {
					t.Errorf("first %d+%d", start, n)
				}
				break
			}
			if !strings.HasSuffix(a.String(), tt.text) {
				t.Errorf("%v, want %s", a, tt.text)
			}
			v, err := st.Get(t.Context(), "x/zarr.json", store.GetOptions{}, nil)
			if err != nil || !strings.Contains(string(v.Bytes), `"`+tt.grid+`"`) {
				t.Errorf("%s, %v", v.Bytes, err)
			}
			again, err := zarr.OpenOrCreate(t.Context(), st, "x", tt.spec)
			if err != nil || again.String() != a.String() {
				t.Errorf("%v, %v", again, err)
			}
			tt.spec.Chunks, tt.spec.ChunkEdges, tt.spec.Shards, tt.spec.ShardEdges = nil, [][]int{{2, 3, 5}, {7}}, nil, nil
			if _, err := zarr.OpenOrCreate(t.Context(), st, "x", tt.spec); !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "chunk shape") {
				t.Errorf("another grid: %v", err)
			}
		})
	}
}

// TestEdgesOfOneLength checks chunks of one length in v2, and arrays without elements.
func TestEdgesOfOneLength(t *testing.T) {
	v2 := mustCreate(t, mem.New(), "", zarr.Spec{Format: 2, Shape: []int{6}, ChunkEdges: [][]int{{4}}, DType: dtype.Int8})
	if !slices.Equal(v2.Chunks(), []int{4}) {
		t.Errorf("one length in v2: %v", v2)
	}
	for _, spec := range []zarr.Spec{{Shape: []int{}, ChunkEdges: [][]int{}}, {Shape: []int{0, 2}, ChunkEdges: [][]int{{}, {1, 1}}}} {
		spec.DType = dtype.Int8
		a := mustCreate(t, mem.New(), "", spec)
		if err := zarr.Write(t.Context(), a, make([]int8, a.Len())); err != nil {
			t.Error(err)
		}
		if got, err := zarr.Read[int8](t.Context(), a); err != nil || len(got) != a.Len() {
			t.Errorf("%v: %v, %v", a, got, err)
		}
	}
}

// rectilinearDoc returns the metadata of a uint8 array with this grid.
func rectilinearDoc(shape, chunkShapes, codecs string) string {
	return fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":%s,"data_type":"uint8","fill_value":0,
		"chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":%s}},
		"chunk_key_encoding":{"name":"default"},"codecs":%s}`, shape, chunkShapes, codecs)
}

// TestGridOfTheText reads the examples of the extension's specification, for six elements each: one
// length for all, a list, a run, a run in a list, and chunks beyond the end.
func TestGridOfTheText(t *testing.T) {
	st := mem.New()
	put(t, st, "zarr.json", rectilinearDoc("[6,6,6,6,6]", "[4,[1,2,3],[[4,2]],[[1,3],3],[4,4,4]]", `["bytes"]`))
	a := mustOpen(t, st, "")
	for axis, want := range [][][2]int{{{0, 4}, {4, 4}}, {{0, 1}, {1, 2}, {3, 3}}, {{0, 4}, {4, 4}}, {{0, 1}, {1, 1}, {2, 1}, {3, 3}}, {{0, 4}, {4, 4}}} {
		var got [][2]int
		for start, n := range a.Edges(axis) {
			got = append(got, [2]int{start, n})
		}
		if !slices.Equal(got, want) {
			t.Errorf("axis %d: %v, want %v", axis, got, want)
		}
	}
}

// TestHostileGrids checks that large numbers in a document take no memory or time.
func TestHostileGrids(t *testing.T) {
	const most = "9223372036854775807"
	tests := []struct {
		name, shape, edges string
		at                 int64 // index of an element; key is that of its chunk
		key                string
	}{
		{"more chunks than memory has bytes", most, `[[1,4611686018427387904],[3,` + most + `]]`, 4611686018427387906, "c/4611686018427387904"},
		{"sums that overflow", "9", `[[5,` + most + `],[1,` + most + `]]`, 8, "c/1"},
		{"chunks that nobody needs", "3", `[1,1,1,[7,` + most + `],[8,` + most + `]]`, 2, "c/2"},
		{"many runs", "30000", "[" + strings.Repeat("1,2,", 10000) + "1]", 29999, "c/19999"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := mem.New()
			put(t, st, "zarr.json", rectilinearDoc("["+tt.shape+"]", "["+tt.edges+"]", `["bytes"]`))
			a := mustOpen(t, st, "")
			at := int(tt.at)
			succeed(t, zarr.Write(t.Context(), a, []uint8{7}, zarr.At(at)))
			if got, err := zarr.Read[uint8](t.Context(), a, zarr.Range(at-1, at+1)); err != nil || !slices.Equal(got, []uint8{0, 7}) {
				t.Errorf("%v, %v", got, err)
			}
			if ks := keys(t, st); !slices.Equal(ks, []string{tt.key, "zarr.json"}) {
				t.Errorf("keys %v", ks)
			}
			if got, err := zarr.Read[uint8](t.Context(), a, zarr.Points([]int{at, 0})); err != nil || got[0] != 7 {
				t.Errorf("points: %v, %v", got, err)
			}
		})
	}
}

// TestShardsThatInnerChunksDoNotDivide checks that an array with such shards is refused when it is
// opened, wherever in the document the wrong length is.
func TestShardsThatInnerChunksDoNotDivide(t *testing.T) {
	sharded := `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`
	turned := strings.Replace(strings.Replace(sharded, `[{`, `[{"name":"transpose","configuration":{"order":[1,0]}},{`, 1), "[2,3]", "[3,2]", 1)
	for name, codecs := range map[string]string{"shards": sharded, "turned": turned} {
		pointer := map[string]string{"shards": "/codecs/0", "turned": "/codecs/1"}[name]
		for edges, bad := range map[string]bool{
			`[[4,[2,3],6],[3,6]]`:     false,
			`[[4,[2,2],5],[3,6]]`:     true,
			`[[4,[2,3],6],[3,5,3]]`:   true,
			`[[3,[2,5]],9]`:           true,
			`[8,[3,7]]`:               true,
			`[[4,1,6],9]`:             true,
			`[10,[3,2,6]]`:            true,
			`[[4,[2,3],6,3],[3,6,4]]`: false, // shards beyond the array are never created
		} {
			t.Run(name+" "+edges, func(t *testing.T) {
				st := mem.New()
				put(t, st, "zarr.json", rectilinearDoc("[10,9]", edges, codecs))
				a, err := zarr.OpenArray(t.Context(), st, "")
				var m *zarr.MetaError
				if bad {
					if !errors.Is(err, zarr.ErrMetadata) || !errors.As(err, &m) || m.Pointer != pointer {
						t.Errorf("%v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				want := make([]uint8, 90)
				for i := range want {
					want[i] = uint8(i)
				}
				succeed(t, zarr.Write(t.Context(), a, want))
				if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%v, %v", got, err)
				}
			})
		}
	}
}

// TestManyShapes reads chunks of more shapes than an array caches, from several goroutines.
func TestManyShapes(t *testing.T) {
	edges, n := []int{}, 0
	for i := range 17 { // 17² shapes
		edges, n = append(edges, i+1), n+i+1
	}
	both := [][]int{edges, edges}
	for _, spec := range []zarr.Spec{{ChunkEdges: both}, {ShardEdges: both, Chunks: []int{1, 1}}} {
		spec.Shape, spec.DType, spec.Codecs = []int{n, n}, dtype.Uint8, []codec.Spec{}
		a := mustCreate(t, mem.New(), "", spec)
		want := make([]uint8, n*n)
		for i := range want {
			want[i] = uint8(1 + i%251)
		}
		succeed(t, zarr.Write(t.Context(), a, want))
		err := concurrency.EachN(t.Context(), 4, 4, func(ctx context.Context, k int) error {
			lo := k * n / 4
			got, err := zarr.Read[uint8](ctx, a, zarr.Range(lo, n))
			if err == nil && !slices.Equal(got, want[lo*n:]) {
				err = errors.New("other elements")
			}
			return err
		})
		if err != nil {
			t.Errorf("%v: %v", a, err)
		}
	}
}

// TestRectilinearConsolidated checks that consolidated metadata includes the grid.
func TestRectilinearConsolidated(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "g/x", zarr.Spec{Shape: []int{6}, ChunkEdges: [][]int{{1, 2, 3}}, DType: dtype.Uint8})
	succeed(t, zarr.Write(t.Context(), a, []uint8{1, 2, 3, 4, 5, 6}))
	g, err := zarr.OpenGroup(t.Context(), st, "g")
	if err != nil {
		t.Fatal(err)
	}
	if g, err = g.Consolidate(t.Context()); err != nil {
		t.Fatal(err)
	}
	x, err := g.OpenArray(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	want := meta.Grid{Edges: []meta.Edges{meta.EdgesOf(1, 2, 3)}}
	if got, err := zarr.Read[uint8](t.Context(), x, zarr.Chunks(1, 3)); err != nil || !slices.Equal(got, []uint8{2, 3, 4, 5, 6}) || !x.Metadata().Grid.Equal(want) {
		t.Errorf("%v, %v, %+v", got, err, x.Metadata().Grid)
	}
	steps, err := upkeep.Migrate(t.Context(), g, upkeep.MigrateOptions{})
	if err != nil || len(steps) > 0 {
		t.Errorf("migrated %v, %v", steps, err)
	}
}
