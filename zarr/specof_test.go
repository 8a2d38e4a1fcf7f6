package zarr_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"reflect"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestSpecOf checks that Spec returns the Spec with which an array was created, unchanged.
func TestSpecOf(t *testing.T) {
	zstd := []codec.Spec{codec.Zstd(3)}
	little := func(more ...codec.Spec) []codec.Spec { return append([]codec.Spec{codec.Bytes(dtype.Little)}, more...) }
	for name, s := range map[string]zarr.Spec{
		"plain":         {Format: 3, Shape: []int{4, 6}, Chunks: []int{2, 3}, DType: dtype.Int32, Fill: int32(7), Codecs: little(zstd...), Dims: []string{"y", ""}, Attrs: map[string]any{"a": "b"}},
		"v2":            {Format: 2, Shape: []int{4, 6}, Chunks: []int{2, 3}, DType: dtype.Float64, Fill: zarr.NoFill, Order: "F", Separator: "/", Codecs: little(codec.Zlib(1))},
		"scalar":        {Format: 3, Shape: []int{}, Chunks: []int{}, DType: dtype.Bool, Fill: true, Codecs: []codec.Spec{{Name: "bytes"}}},
		"shards":        {Format: 3, Shape: []int{8}, Chunks: []int{2}, Shards: []int{4}, DType: dtype.Uint16, Fill: uint16(0), Codecs: little(codec.Gzip(1))},
		"another index": {Format: 3, Shape: []int{8}, Chunks: []int{4}, DType: dtype.Uint16, Fill: uint16(0), Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{2}, AtStart: true, Codecs: little()})}},
		"edges":         {Format: 3, Shape: []int{6, 5}, ChunkEdges: [][]int{{1, 2, 3}, {5}}, DType: dtype.Uint16, Fill: uint16(0), Codecs: little()},
		"shard edges":   {Format: 3, Shape: []int{6}, ShardEdges: [][]int{{2, 4}}, Chunks: []int{2}, DType: dtype.Uint16, Fill: uint16(0), Codecs: little()},
		"one edge":      {Format: 3, Shape: []int{5, 5}, Grid: meta.Grid{Edges: []meta.Edges{{Runs: []meta.Run{{Edge: 5, Count: 1}}}, {Every: 5}}}, DType: dtype.Uint16, Fill: uint16(0), Codecs: little()},
		"many edges":    {Format: 3, Shape: []int{1 << 30}, Grid: meta.Grid{Edges: []meta.Edges{{Runs: []meta.Run{{Edge: 1, Count: 1 << 30}}}}}, DType: dtype.Uint16, Fill: uint16(0), Codecs: little()},
		"keys of v2":    {Format: 3, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32, Fill: int32(7), Codecs: little(), Keys: meta.KeyEncoding{Name: "v2", Separator: "."}},
		"a suffix":      {Format: 3, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32, Fill: int32(7), Codecs: little(), Keys: meta.KeyEncoding{Name: "default", Separator: "/", Suffix: ".bin"}},
		"text":          {Format: 3, Shape: []int{4}, Chunks: []int{2}, DType: dtype.String, Fill: "?", Codecs: []codec.Spec{{Name: "vlen-utf8"}}},
		"objects":       {Format: 2, Shape: []int{4}, Chunks: []int{2}, DType: dtype.JSON, Fill: json.RawMessage(`{"a":1}`), Codecs: []codec.Spec{codec.JSON2()}},
		"transposed":    {Format: 3, Shape: []int{4, 6}, Chunks: []int{2, 3}, DType: dtype.Int8, Fill: int8(0), Codecs: []codec.Spec{codec.Transpose(1, 0), {Name: "bytes"}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := mustCreate(t, mem.New(), "", s)
			got := a.Spec()
			if s.Separator == "" && s.Keys.Name == "" {
				s.Separator = map[int]string{2: ".", 3: "/"}[s.Format]
			}
			if s.Attrs == nil {
				s.Attrs = map[string]any{}
			}
			if !reflect.DeepEqual(got, s) {
				t.Errorf("got  %+v\nwant %+v", got, s)
			}
			b := mustCreate(t, mem.New(), "", got)
			if !reflect.DeepEqual(a.Metadata(), b.Metadata()) {
				t.Errorf("%+v\nis not %+v", a.Metadata(), b.Metadata())
			}
		})
	}
}

// TestSpecKeepsTheOrder checks that a filter may follow the codec that encodes elements as bytes,
// where Create would not put it.
func TestSpecKeepsTheOrder(t *testing.T) {
	ctx, st := t.Context(), mem.New()
	put(t, st, "zarr.json", `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint16","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
		"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"big"}},{"name":"numcodecs.delta","configuration":{"dtype":"<u2"}}]}`)
	a, err := zarr.OpenArray(ctx, st, "")
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.Write(ctx, a, []uint16{1, 300, 2, 5000}))
	other := mem.New()
	b := mustCreate(t, other, "", a.Spec())
	succeed(t, zarr.Write(ctx, b, []uint16{1, 300, 2, 5000}))
	if x, y := mustGet(t, st, "c/0"), mustGet(t, other, "c/0"); !slices.Equal(x, y) {
		t.Errorf("%x is stored, was %x: %v", y, x, b.Codecs())
	}
}

// TestSpecOfLenient checks that the Spec of an array that violates a rule creates an array that
// follows the rule.
func TestSpecOfLenient(t *testing.T) {
	v3 := func(typ, fill, codecs string) string {
		return `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":` + typ + `,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
			"chunk_key_encoding":{"name":"default"},"fill_value":` + fill + `,"codecs":` + codecs + `}`
	}
	v2 := func(typ, fill, compressor string) string {
		return `{"zarr_format":2,"shape":[4],"chunks":[2],"order":"C","dtype":"` + typ + `","fill_value":` + fill + `,"compressor":` + compressor + `}`
	}
	for name, tt := range map[string]struct{ key, doc string }{
		"draft's name":       {"zarr.json", v3(`"int32"`, `0`, `[{"name":"endian","configuration":{"endian":"big"}}]`)},
		"no byte order":      {"zarr.json", v3(`"int32"`, `0`, `["bytes"]`)},
		"text without one":   {"zarr.json", v3(`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`, `""`, `["bytes"]`)},
		"a bool of 0":        {"zarr.json", v3(`"bool"`, `0`, `["bytes"]`)},
		"no level":           {"zarr.json", v3(`"int8"`, `0`, `["bytes","gzip"]`)},
		"no index codecs":    {"zarr.json", v3(`"int16"`, `0`, `[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`)},
		"fill as text":       {".zarray", v2("<i4", `"0"`, `null`)},
		"bare token":         {".zarray", v2("<f4", `NaN`, `{"id":"gzip","level":-1}`)},
		"infinity spelled +": {".zarray", v2("<f4", `"+Infinity"`, `null`)},
	} {
		t.Run(name, func(t *testing.T) {
			st := mem.New()
			put(t, st, tt.key, tt.doc)
			a := mustOpen(t, st, "")
			made := mem.New()
			b := mustCreate(t, made, "", a.Spec())
			if !slices.Equal(a.Fill(), b.Fill()) || b.Format() != a.Format() {
				t.Errorf("%+v, was %+v", b.Metadata(), a.Metadata())
			}
			if _, err := zarr.OpenArray(t.Context(), made, "", zarr.Strict()); err != nil {
				t.Errorf("strictly: %v", err)
			}
		})
	}
}

// TestSpecIsTheCallers checks that changes to a Spec do not change the array.
func TestSpecIsTheCallers(t *testing.T) {
	a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: []int{6, 4}, ChunkEdges: [][]int{{1, 2, 3}, {4}}, DType: dtype.Int8, Dims: []string{"y", "x"}, Attrs: map[string]any{"a": 1}})
	s := a.Spec()
	s.Shape[0], s.ChunkEdges[0][0], s.Dims[0], s.Attrs["a"], s.Codecs[0].Name = 0, 9, "z", 2, "gone"
	if m := a.Metadata(); m.Shape[0] != 6 || m.Dims[0] != "y" || a.Attrs()["a"] != json.Number("1") || m.Codecs[0].Name != "bytes" || m.Grid.Edges[0].Runs[0].Edge != 1 {
		t.Errorf("%+v", m)
	}
}

// TestSpecOfField checks that the Spec of a view of a field creates an array that can store the
// field.
func TestSpecOfField(t *testing.T) {
	type cell struct {
		ID  uint16
		Pos [3]float32
	}
	typ, err := dtype.Of[cell]()
	if err != nil {
		t.Fatal(err)
	}
	a := mustCreate(t, mem.New(), "", zarr.Spec{Format: 2, Shape: []int{4}, Chunks: []int{2}, DType: typ, Codecs: []codec.Spec{codec.Zlib(1)}})
	succeed(t, zarr.Write(t.Context(), a, []cell{{1, [3]float32{1, 2, 3}}}, zarr.At(2)))
	f, err := a.Field("Pos")
	if err != nil {
		t.Fatal(err)
	}
	spec := f.Spec()
	if codecs := spec.Codecs; len(codecs) == 0 || codecs[len(codecs)-1].Name != "numcodecs.zlib" {
		t.Errorf("codecs %v", codecs)
	}
	b := mustCreate(t, mem.New(), "", spec)
	all := mustRead[float32](t, f)
	succeed(t, zarr.Write(t.Context(), b, all))
	if got, err := zarr.Read[float32](t.Context(), b); err != nil || !slices.Equal(got, all) || !slices.Equal(b.Shape(), []int{4, 3}) || !slices.Equal(b.Chunks(), []int{2, 3}) {
		t.Errorf("%v is %v, %v", b, got, err)
	}
}

// This creates the same array with other chunks and in another format.
func ExampleArray_Spec() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "t2m", zarr.Spec{Format: 2, Shape: []int{4, 6}, Chunks: []int{2, 3}, DType: dtype.Float32,
		Fill: 273.15, Codecs: []codec.Spec{codec.Zlib(1)}, Attrs: map[string]any{"units": "K"}})
	if err != nil {
		log.Fatal(err)
	}
	spec := a.Spec()
	fmt.Println(spec.Shape, spec.Chunks, spec.DType, spec.Fill, spec.Attrs)
	spec.Format, spec.Chunks, spec.Separator = 3, []int{4, 6}, ""
	b, err := zarr.Create(ctx, mem.New(), "t2m", spec)
	fmt.Println(b, err)
	// Output:
	// [4 6] [2 3] float32 273.15 map[units:K]
	// "t2m" float32 [4 6] chunks [4 6] v3 <nil>
}
