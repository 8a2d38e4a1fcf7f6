package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// unevenArrays returns arrays with rectilinear grids of chunks and of shards.
func unevenArrays() []sharded {
	var all []sharded
	boxes := map[int][][][2]int{2: {{{0, 6}, {0, 12}}, {{5, 11}, {3, 4}}, {{9, 14}, {10, 12}}}, 3: {{{0, 4}, {0, 6}, {0, 5}}, {{1, 7}, {2, 3}, {1, 4}}}}
	for _, t := range []dtype.Type{dtype.Uint8, dtype.Int16, dtype.Float64} {
		add := func(name string, shape []int, edges [][]int, s zarr.Spec) {
			s.Shape, s.DType, s.Fill = shape, t, 3
			if s.Chunks == nil {
				s.ChunkEdges = edges
			} else {
				s.ShardEdges = edges
			}
			all = append(all, sharded{Name: fmt.Sprint(name, "-", t), Shape: shape, DType: t.String(), Boxes: boxes[len(shape)], Edges: edges, spec: s})
		}
		flat, cube := []int{14, 13}, []int{7, 9, 5}
		uneven := [][]int{{3, 1, 6, 4}, {5, 5, 2, 1}}
		raw := zarr.Spec{Codecs: []codec.Spec{codec.Bytes(dtype.Little)}}
		add("plain", flat, uneven, raw)
		add("runs", flat, [][]int{slices.Repeat([]int{1}, 14), {2, 2, 2, 2, 2, 3}}, raw)
		add("beyond", flat, [][]int{{3, 7, 8}, {6, 6, 6}}, raw)
		add("one for an axis", flat, [][]int{{4, 4, 4, 4}, {9, 4}}, raw)
		add("cube", cube, [][]int{{2, 5}, {4, 4, 1}, {5}}, raw)
		add("big", flat, uneven, zarr.Spec{Codecs: []codec.Spec{codec.Bytes(dtype.Big)}})
		add("zstd", flat, uneven, zarr.Spec{Codecs: []codec.Spec{codec.Zstd(1), codec.CRC32C()}})
		add("blosc", flat, uneven, zarr.Spec{Codecs: []codec.Spec{codec.Blosc(codec.BloscOptions{Cname: "lz4"})}})
		add("transposed", flat, uneven, zarr.Spec{Codecs: []codec.Spec{codec.Transpose(1, 0), codec.Gzip(1)}})
		add("shards", flat, [][]int{{4, 2, 8}, {3, 9, 3}}, zarr.Spec{Chunks: []int{2, 3}, Codecs: []codec.Spec{codec.Zstd(1)}})
		add("shards to the end", []int{14, 12}, [][]int{{4, 2, 8}, {3, 9}}, zarr.Spec{Chunks: []int{2, 3}, Codecs: []codec.Spec{codec.Zstd(1)}})
		add("shards of one chunk", flat, [][]int{{6, 6, 6}, {12, 12}}, zarr.Spec{Chunks: []int{6, 12}, Codecs: []codec.Spec{}})
	}
	return all
}

// TestRectilinear exchanges arrays whose chunks or shards differ in shape with zarr-python 3.4 and
// zarrs, in both directions. zarr-python creates its own arrays; zarrs receives the metadata.
// TensorStore does not support rectilinear grids.
func TestRectilinear(t *testing.T) {
	needPython(t)
	t.Parallel()
	arrays := unevenArrays()
	folder := t.TempDir()
	peers := []string{"zarr-python-3.4", "zarrs", "tensorstore"}
	jobs := map[string][]job{}
	for _, a := range arrays {
		path := filepath.Join("zargo", a.Name)
		made, err := zarr.Create(t.Context(), dir.New(filepath.Join(folder, path)), "", a.spec)
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		writeBoxes(t, made, a)
		var meta struct{ Codecs json.RawMessage }
		b, err := os.ReadFile(filepath.Join(folder, path, "zarr.json"))
		if err != nil || json.Unmarshal(b, &meta) != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		a.Codecs = meta.Codecs
		for _, peer := range peers {
			jobs["read"] = append(jobs["read"], job{Do: "read-boxes", Peer: peer, Place: folder, Path: path, Array: a})
			if peer != "tensorstore" {
				jobs["write"] = append(jobs["write"], job{Do: "write-boxes", Peer: peer, Place: folder, Path: filepath.Join(peer, a.Name), Array: a})
			}
		}
	}
	want := map[string][2]map[string]int{
		"read":  {{"zarr-python-3.4": 36, "zarrs": 36}, {"tensorstore": 36}},
		"write": {{"zarr-python-3.4": 24, "zarrs": 36}, {"zarr-python-3.4": 12}}, // zarr-python cannot create 12 arrays, but reads them
	}
	for verb, jobs := range jobs {
		good, refused := judgeBoxes(t, verb, jobs, func(s said, j job) bool {
			return strings.Contains(s.Error, map[string]string{"tensorstore": `Expected "regular", but received: "rectilinear"`, "zarr-python-3.4": "do not sum to span"}[j.Peer])
		})
		if !maps.Equal(good, want[verb][0]) || !maps.Equal(refused, want[verb][1]) {
			t.Errorf("%s: equal %v, refused %v", verb, good, refused)
		}
	}
	// The uncompressed objects of zarr-python must equal zargo's byte for byte.
	for _, a := range arrays {
		if name, _, _ := strings.Cut(a.Name, "-"); !slices.Contains([]string{"plain", "runs", "cube", "big"}, name) {
			continue
		}
		ours, theirs := chunksOf(t, filepath.Join(folder, "zargo", a.Name)), chunksOf(t, filepath.Join(folder, "zarr-python-3.4", a.Name))
		if !maps.EqualFunc(ours, theirs, bytes.Equal) {
			t.Errorf("%s: zargo stores %q, zarr-python %q", a.Name, slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(theirs)))
		}
	}
}

// chunksOf returns the objects of an array in a directory, without its metadata.
func chunksOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	chunks := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(folder), "c", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		chunks[name], err = os.ReadFile(filepath.Join(folder, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}
