package peers

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// sharded is a sharded array that each side writes in parts and reads.
type sharded struct {
	Name  string     `json:"name"`
	Shape []int      `json:"shape"`
	DType string     `json:"dtype"`
	Boxes [][][2]int `json:"boxes"` // written in this order; they end within inner chunks and omit shards

	// Chunks and codecs, for arrays that a peer creates.
	Edges  [][]int `json:"edges,omitempty"`
	Codecs any     `json:"codecs,omitempty"`

	spec zarr.Spec
}

// shardedArrays returns every shard layout for several data types.
func shardedArrays() []sharded {
	var all []sharded
	little := codec.Bytes(dtype.Little)
	in := func(o codec.ShardingOptions) codec.Spec { return codec.Sharding(o) }
	flat, cube := []int{19, 14}, []int{7, 9, 5}
	flatBoxes := [][][2]int{{{0, 8}, {0, 14}}, {{9, 11}, {3, 9}}, {{3, 13}, {5, 6}}}
	cubeBoxes := [][][2]int{{{0, 4}, {0, 6}, {0, 5}}, {{1, 7}, {2, 3}, {1, 4}}}
	for _, t := range []dtype.Type{dtype.Uint8, dtype.Int16, dtype.Float32, dtype.Float64} {
		add := func(name string, s zarr.Spec) {
			s.DType, s.Fill = t, 3
			boxes := flatBoxes
			if s.Shape == nil {
				s.Shape = flat
			}
			if len(s.Shape) == 3 {
				boxes = cubeBoxes
			}
			all = append(all, sharded{Name: fmt.Sprint(name, "-", t), Shape: s.Shape, DType: t.String(), Boxes: boxes, spec: s})
		}
		outer := func(o codec.ShardingOptions, more ...codec.Spec) zarr.Spec {
			return zarr.Spec{Chunks: []int{8, 6}, Codecs: append([]codec.Spec{in(o)}, more...)}
		}
		add("plain", zarr.Spec{Chunks: []int{4, 3}, Shards: []int{8, 6}, Codecs: []codec.Spec{}})
		add("zstd", zarr.Spec{Chunks: []int{4, 3}, Shards: []int{8, 6}})
		add("gzip-crc32c", zarr.Spec{Chunks: []int{2, 6}, Shards: []int{8, 6}, Codecs: []codec.Spec{codec.Gzip(1), codec.CRC32C()}})
		add("blosc", zarr.Spec{Chunks: []int{4, 3}, Shards: []int{8, 6}, Codecs: []codec.Spec{codec.Blosc(codec.BloscOptions{Cname: "lz4"})}})
		add("big", zarr.Spec{Chunks: []int{1, 1}, Shards: []int{8, 6}, Codecs: []codec.Spec{codec.Bytes(dtype.Big)}})
		add("one", zarr.Spec{Chunks: []int{8, 6}, Shards: []int{8, 6}})
		add("fortran", zarr.Spec{Chunks: []int{4, 3}, Shards: []int{8, 6}, Order: "F"})
		add("cube", zarr.Spec{Shape: cube, Chunks: []int{2, 3, 5}, Shards: []int{4, 6, 5}})
		add("start", outer(codec.ShardingOptions{Chunk: []int{4, 3}, Codecs: []codec.Spec{little, codec.Zstd(1)}, AtStart: true}))
		add("plain-index", outer(codec.ShardingOptions{Chunk: []int{4, 3}, Index: []codec.Spec{little}}))
		add("big-index", outer(codec.ShardingOptions{Chunk: []int{4, 3}, Index: []codec.Spec{codec.Bytes(dtype.Big), codec.CRC32C()}}))
		add("nested", outer(codec.ShardingOptions{Chunk: []int{4, 6}, Codecs: []codec.Spec{in(codec.ShardingOptions{Chunk: []int{2, 3}, AtStart: true})}}))
		add("crc-after", outer(codec.ShardingOptions{Chunk: []int{4, 3}}, codec.CRC32C()))
		add("gzip-after", outer(codec.ShardingOptions{Chunk: []int{4, 3}}, codec.Gzip(1)))
		add("transposed", zarr.Spec{Chunks: []int{8, 6}, Codecs: []codec.Spec{codec.Transpose(1, 0), in(codec.ShardingOptions{Chunk: []int{3, 4}})}})
	}
	return all
}

// full returns all elements in memory form. Element i is 7i mod 251.
func (a sharded) full() []byte {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	var b []byte
	for i := range n {
		b = append(b, element(a.DType, i*7%251)...)
	}
	return b
}

func element(typ string, v int) []byte {
	switch typ {
	case "uint8":
		return []byte{byte(v)}
	case "int16":
		return binary.LittleEndian.AppendUint16(nil, uint16(v))
	case "float32":
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(v)))
}

// expected returns the whole array after the boxes were written.
func (a sharded) expected() []byte {
	full := a.full()
	size := a.spec.DType.Size()
	out := bytes.Repeat(element(a.DType, 3), len(full)/size)
	for _, box := range a.Boxes {
		eachOf(box, a.Shape, func(i int) { copy(out[i*size:(i+1)*size], full[i*size:]) })
	}
	return out
}

// part returns the elements of the box, in C order.
func (a sharded) part(box [][2]int) []byte {
	var out []byte
	full, size := a.full(), a.spec.DType.Size()
	eachOf(box, a.Shape, func(i int) { out = append(out, full[i*size:(i+1)*size]...) })
	return out
}

// shardRefusals are parts of the errors with which peers refuse layouts.
func shardRefusals() map[string]string {
	return map[string]string{
		"tensorstore": "is not compatible with subsequent bytes -> bytes codecs", // crc-after, gzip-after
		// The shapes of inner chunks are compared with the shape of the shard before the
		// transposition.
		"zarr-python":     "needs to be divisible by the shard's inner `chunk_shape`", // transposed
		"zarr-python-3.4": "is not divisible by the shard's inner chunk size",
	}
}

// TestShards exchanges sharded arrays with zarr-python, TensorStore and zarrs, in both directions.
// zargo creates the arrays, one side writes parts of them, and the other side reads them.
func TestShards(t *testing.T) {
	needPython(t)
	t.Parallel()
	arrays := shardedArrays()
	for _, verb := range []string{"write", "read"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			var jobs []job
			for _, peer := range []string{"zarr-python", "zarr-python-3.4", "tensorstore", "zarrs"} {
				for _, a := range arrays {
					path := filepath.Join(peer, a.Name)
					made, err := zarr.Create(t.Context(), dir.New(filepath.Join(folder, path)), "", a.spec)
					if err != nil {
						t.Fatalf("%s: %v", a.Name, err)
					}
					if verb == "read" {
						writeBoxes(t, made, a)
					}
					jobs = append(jobs, job{Do: verb + "-boxes", Peer: peer, Place: folder, Path: path, Array: a})
				}
			}
			good, refused := judgeBoxes(t, verb, jobs, func(s said, j job) bool { return strings.Contains(s.Error, shardRefusals()[j.Peer]) })
			if len(arrays) != 60 || !maps.Equal(good, map[string]int{"zarr-python": 56, "zarr-python-3.4": 56, "tensorstore": 52, "zarrs": 60}) ||
				!maps.Equal(refused, map[string]int{"zarr-python": 4, "zarr-python-3.4": 4, "tensorstore": 8}) {
				t.Errorf("%d arrays; equal: %v; refused: %v", len(arrays), good, refused)
			}
		})
	}
}

// judgeBoxes sends the jobs, and counts by peer the correct results and the refusals. Each refusal
// must be a known one.
func judgeBoxes(t *testing.T, verb string, jobs []job, known func(said, job) bool) (good, refused map[string]int) {
	t.Helper()
	good, refused = map[string]int{}, map[string]int{}
	for i, s := range ask(t, jobs) {
		j, a := jobs[i], jobs[i].Array.(sharded)
		if s.Error != "" {
			if refused[j.Peer]++; !known(s, j) {
				t.Errorf("%s of %s: %s", j.Peer, a.Name, s.Error)
			}
			continue
		}
		got, err := hex.DecodeString(s.Hex)
		if verb == "write" {
			got, err = readAll(t, dir.New(filepath.Join(j.Place, j.Path)), a)
		}
		if err != nil || !bytes.Equal(got, a.expected()) {
			t.Errorf("%s of %s: %v, or other values", j.Peer, a.Name, err)
			continue
		}
		good[j.Peer]++
	}
	return good, refused
}

func writeBoxes(t *testing.T, made *zarr.Array, a sharded) {
	t.Helper()
	for _, box := range a.Boxes {
		sel := make([]zarr.Selection, len(box))
		for i, b := range box {
			sel[i] = zarr.Range(b[0], b[1])
		}
		if err := made.WriteBytes(t.Context(), a.part(box), sel...); err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
	}
}

func readAll(t *testing.T, st store.Store, a sharded) ([]byte, error) {
	opened, err := zarr.OpenArray(t.Context(), st, "")
	if err != nil {
		return nil, err
	}
	got := make([]byte, len(a.full()))
	return got, opened.ReadBytes(t.Context(), got)
}

// eachOf calls f with the index of each element of a box.
func eachOf(box [][2]int, shape []int, f func(i int)) {
	var walk func(axis, at int)
	walk = func(axis, at int) {
		if axis == len(shape) {
			f(at)
			return
		}
		for i := box[axis][0]; i < box[axis][1]; i++ {
			walk(axis+1, at*shape[axis]+i)
		}
	}
	walk(0, 0)
}
