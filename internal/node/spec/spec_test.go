package spec_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

var builtin = spec.Options{Table: codec.Builtin()}

// model returns the metadata of a valid Spec.
func model(t *testing.T, s spec.Spec) *meta.Array {
	t.Helper()
	m, err := s.Model(builtin)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestModelRefuses checks that a Spec that contradicts itself or the format is refused.
func TestModelRefuses(t *testing.T) {
	two, edges := []int{2}, [][]int{{2, 4}}
	grid := func(e ...meta.Edges) spec.Spec { return spec.Spec{Grid: meta.Grid{Edges: e}} }
	for _, c := range []struct {
		name string
		spec spec.Spec
		kind error
		says string
	}{
		{"format 1", spec.Spec{Format: 1}, fault.Metadata, "2 or 3"},
		{"chunk rank", spec.Spec{Chunks: []int{2, 2}}, fault.Metadata, "rank 2"},
		{"chunk of nothing", spec.Spec{Chunks: []int{0}}, fault.Metadata, "is 0"},
		{"aspect of another rank", spec.Spec{Layout: spec.Layout{AspectRatio: []float64{1, 2}}}, fault.Metadata, "2 numbers"},
		{"negative aspect", spec.Spec{Layout: spec.Layout{AspectRatio: []float64{-1}}}, fault.Metadata, "-1"},
		{"aspect that is no number", spec.Spec{Layout: spec.Layout{AspectRatio: []float64{math.NaN()}}}, fault.Metadata, "NaN"},
		{"two bounds", spec.Spec{Layout: spec.Layout{Elements: 1, Bytes: 1}}, fault.Metadata, "only one"},
		{"negative bound", spec.Spec{Layout: spec.Layout{Elements: -1}}, fault.Metadata, "negative"},
		{"fill out of range", spec.Spec{Fill: 300}, fault.Type, "300"},
		{"fill with a fraction", spec.Spec{Fill: 1.5}, fault.Type, "1.5"},
		{"fill of text", spec.Spec{Fill: "x"}, fault.Type, "x"},
		{"v3 without fill", spec.Spec{Fill: spec.NoFill{}}, fault.Metadata, "fill value"},
		{"separator", spec.Spec{Separator: "-"}, fault.Metadata, "separator"},
		{"order", spec.Spec{Order: "A"}, fault.Metadata, "A"},
		{"dims", spec.Spec{Dims: []string{"a", "b"}}, fault.Metadata, "2 names"},
		{"dims in v2", spec.Spec{Format: 2, Dims: []string{"a"}}, fault.Metadata, "_ARRAY_DIMENSIONS"},
		{"unknown codec", spec.Spec{Codecs: []codec.Spec{{Name: "nonesuch"}}}, errors.ErrUnsupported, "nonesuch"},
		{"edges of 0", spec.Spec{ChunkEdges: [][]int{{6, 0}}}, fault.Metadata, "is 0"},
		{"negative edges", spec.Spec{ChunkEdges: [][]int{{-1}}}, fault.Metadata, "is -1"},
		{"edges of another rank", spec.Spec{ChunkEdges: [][]int{{6}, {6}}}, fault.Metadata, "2 axes"},
		{"edges and chunks", spec.Spec{ChunkEdges: edges, Chunks: two}, fault.Metadata, "excludes"},
		{"edges and shards", spec.Spec{ChunkEdges: edges, Shards: two}, fault.Metadata, "excludes"},
		{"both of shards", spec.Spec{ShardEdges: edges, Shards: two}, fault.Metadata, "only one"},
		{"no multiple", spec.Spec{ShardEdges: [][]int{{2, 5}}, Chunks: two}, fault.Metadata, "must be multiples"},
		{"rank of shards", spec.Spec{ShardEdges: [][]int{}, Chunks: two}, fault.Metadata, "0 axes"},
		{"rank of chunks in shards", spec.Spec{ShardEdges: edges, Chunks: []int{2, 2}}, fault.Metadata, "[2 2]"},
		{"edges in v2", spec.Spec{Format: 2, ChunkEdges: edges}, fault.Metadata, "v2"},
		{"edges of shards in v2", spec.Spec{Format: 2, ShardEdges: edges}, fault.Metadata, "v2"},
		{"shards of a layout in v2", spec.Spec{Format: 2, ShardLayout: &spec.Layout{}}, fault.Metadata, "v2"},
		{"shards and layout", spec.Spec{Chunks: two, Shards: []int{4}, ShardLayout: &spec.Layout{}}, fault.Metadata, "excludes"},
		{"ratios of shards", spec.Spec{ShardLayout: &spec.Layout{AspectRatio: []float64{1, 2}}}, fault.Metadata, "2 numbers"},
		{"negative shards", spec.Spec{ShardLayout: &spec.Layout{Elements: -1}}, fault.Metadata, "negative"},
		{"two bounds of shards", spec.Spec{ShardLayout: &spec.Layout{Elements: 1, Bytes: 1}}, fault.Metadata, "only one"},
		{"ratio of no use", spec.Spec{ShardLayout: &spec.Layout{AspectRatio: []float64{math.Inf(1)}}}, fault.Metadata, "+Inf"},
		{"grid and chunks", spec.Spec{Grid: meta.Grid{Shape: two}, Chunks: two}, fault.Metadata, "Grid excludes"},
		{"grid of more axes", spec.Spec{Grid: meta.Grid{Shape: []int{2, 2}}}, fault.Metadata, "2 axes"},
		{"grid of length 0", spec.Spec{Grid: meta.Grid{Shape: []int{0}}}, fault.Metadata, "is 0"},
		{"grid of both", spec.Spec{Grid: meta.Grid{Shape: two, Edges: []meta.Edges{{Every: 2}}}}, fault.Metadata, "only one"},
		{"grid of edges in v2", spec.Spec{Format: 2, Grid: meta.Grid{Edges: []meta.Edges{{Every: 2}}}}, fault.Metadata, "v2"},
		{"grid of two kinds", grid(meta.Edges{Every: 2, Runs: []meta.Run{{Edge: 4, Count: 1}}}), fault.Metadata, "either"},
		{"grid of none", grid(meta.Edges{}), fault.Metadata, "either"},
		{"grid of no length", grid(meta.Edges{Runs: []meta.Run{{Edge: 0, Count: 4}}}), fault.Metadata, "of length 0"},
		{"keys and separator", spec.Spec{Keys: meta.KeyEncoding{Separator: "."}, Separator: "/"}, fault.Metadata, "Separator"},
		{"keys of another way", spec.Spec{Keys: meta.KeyEncoding{Name: "hilbert"}}, fault.Metadata, "hilbert"},
		{"default keys in v2", spec.Spec{Format: 2, Keys: meta.KeyEncoding{Name: "default"}}, fault.Metadata, "default"},
		{"a suffix in v2", spec.Spec{Format: 2, Keys: meta.KeyEncoding{Suffix: ".bin"}}, fault.Metadata, "suffix"},
	} {
		c.spec.Shape, c.spec.DType = []int{6}, dtype.Int8
		if _, err := c.spec.Model(builtin); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v and %q", c.name, err, c.kind, c.says)
		}
	}
	for name, s := range map[string]spec.Spec{
		"no type":         {Shape: []int{6}},
		"negative length": {Shape: []int{-1}, DType: dtype.Int8},
		"bytes of text":   {Shape: []int{8}, DType: dtype.String, ShardLayout: &spec.Layout{Bytes: 5}},
	} {
		if _, err := s.Model(builtin); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []codec.Spec{codec.ScaleOffset(1, 2), codec.CastValue(codec.CastValueOptions{Type: dtype.Int16}), codec.Reshape(-1), codec.PackBits()} {
		if _, err := (spec.Spec{Format: 2, Shape: []int{4}, DType: dtype.Int32, Codecs: []codec.Spec{c}}).Model(builtin); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v, which numcodecs lacks: %v", c, err)
		}
	}
	m := model(t, spec.Spec{Format: 2, Shape: []int{4}, DType: dtype.Float32, Codecs: []codec.Spec{codec.BitRound(3)}})
	if !slices.ContainsFunc(m.Codecs, func(c meta.Named) bool { return c.Name == "numcodecs.bitround" }) {
		t.Errorf("%+v", m.Codecs)
	}
}

// TestLayouts checks the shapes of chunks and shards of a layout. A shard is a whole number of
// chunks along each axis, as many as the layout allows.
func TestLayouts(t *testing.T) {
	big, one, ratio := []int{1000, 2000, 3000}, &spec.Layout{}, []float64{1, 2, 2}
	for _, c := range []struct {
		name         string
		shape, given []int
		chunks       spec.Layout
		shards       *spec.Layout
		chunk, shard []int
	}{
		{"chunks", big, nil, spec.Layout{}, nil, []int{101, 101, 101}, nil},
		{"aspects of chunks", big, nil, spec.Layout{AspectRatio: ratio}, nil, []int{64, 128, 128}, nil},
		{"elements of chunks", big, nil, spec.Layout{AspectRatio: ratio, Elements: 2000000}, nil, []int{79, 159, 159}, nil},
		{"bytes of chunks", big, nil, spec.Layout{AspectRatio: ratio, Bytes: 4000000}, nil, []int{79, 159, 159}, nil},
		{"a byte", big, nil, spec.Layout{Bytes: 1}, nil, []int{1, 1, 1}, nil},
		// 512^3 elements are 2^27. A shard has five chunks of 101 along each axis.
		{"both chosen", big, nil, spec.Layout{}, &spec.Layout{Elements: 1 << 27}, []int{101, 101, 101}, []int{505, 505, 505}},
		{"by bytes", big, nil, spec.Layout{Bytes: 2 << 20}, &spec.Layout{Bytes: 2 << 27}, []int{101, 101, 101}, []int{505, 505, 505}},
		// 64 chunks of 64 × 128 × 128.
		{"aspects", big, nil, spec.Layout{AspectRatio: ratio}, &spec.Layout{AspectRatio: ratio, Elements: 1 << 26}, []int{64, 128, 128}, []int{256, 512, 512}},
		// 2^20 elements are 419 chunks of 50 × 50: 20 × 20 of them are 400, 21 × 21 are 441.
		{"chunks given, a million", []int{1, 5000, 5000}, []int{1, 50, 50}, spec.Layout{}, one, []int{1, 50, 50}, []int{1, 1000, 1000}},
		{"less than a chunk", big, []int{10, 10, 10}, spec.Layout{}, &spec.Layout{Elements: 999}, []int{10, 10, 10}, []int{10, 10, 10}},
		{"more than the array", []int{25, 10}, []int{10, 10}, spec.Layout{}, one, []int{10, 10}, []int{30, 10}},
	} {
		s := spec.Of(model(t, spec.Spec{Shape: c.shape, DType: dtype.Uint16, Chunks: c.given, Layout: c.chunks, ShardLayout: c.shards}), builtin)
		if !slices.Equal(s.Chunks, c.chunk) || !slices.Equal(s.Shards, c.shard) {
			t.Errorf("%s: %v in %v, want %v in %v", c.name, s.Chunks, s.Shards, c.chunk, c.shard)
		}
	}
}

// TestOf checks that Of returns a Spec of the same metadata, with NoFill and the simpler fields.
func TestOf(t *testing.T) {
	for name, s := range map[string]spec.Spec{
		"v2":    {Format: 2, Shape: []int{4, 6}, Chunks: []int{2, 3}, DType: dtype.Float64, Fill: spec.NoFill{}, Order: "F", Separator: "/", Codecs: []codec.Spec{codec.Bytes(dtype.Big), codec.Zlib(1)}},
		"edges": {Format: 3, Shape: []int{6, 5}, ChunkEdges: [][]int{{1, 2, 3}, {5}}, DType: dtype.Uint16, Fill: uint16(0), Separator: "/", Codecs: []codec.Spec{codec.Bytes(dtype.Little)}},
		"keys":  {Format: 3, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Bool, Fill: true, Codecs: []codec.Spec{{Name: "bytes"}}, Keys: meta.KeyEncoding{Name: "default", Separator: "/", Suffix: ".bin"}},
	} {
		if got := spec.Of(model(t, s), builtin); !reflect.DeepEqual(got, s) {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, s)
		}
	}
}

// TestAxes checks the number of chunks along each axis, and the start of the second one.
func TestAxes(t *testing.T) {
	for _, c := range []struct {
		edges [][]int
		want  []int
	}{
		{[][]int{{4}, {2}}, []int{2, 4, 2, 2}},
		{[][]int{{1, 3, 3}, {2}}, []int{3, 1, 2, 2}},
	} {
		var got []int
		shape := []int{7, 4}
		for i, a := range spec.Axes(model(t, spec.Spec{Shape: shape, ChunkEdges: c.edges, DType: dtype.Int8})) {
			start, _ := a.Chunk(1)
			got = append(got, a.Count(shape[i]), start)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.edges, got, c.want)
		}
	}
}

func TestDims(t *testing.T) {
	for name, c := range map[string]struct {
		attr any
		want []string
	}{"names": {[]any{"y", "x"}, []string{"y", "x"}}, "one": {[]any{"y"}, nil}, "a number": {[]any{"y", 1}, nil}, "no list": {"yx", nil}} {
		if got := spec.Dims(map[string]any{"_ARRAY_DIMENSIONS": c.attr}, 2); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestSeparated checks that a separator is used only if the document does not specify another.
func TestSeparated(t *testing.T) {
	m := model(t, spec.Spec{Format: 2, Shape: []int{4, 4}, Separator: ".", DType: dtype.Int8})
	if _, err := spec.Separated(m, "/"); !errors.Is(err, fault.Selection) {
		t.Errorf("contradicted: %v", err)
	}
	m.NoSeparator = true
	if got, err := spec.Separated(m, "/"); err != nil || got.Keys.Separator != "/" || m.Keys.Separator != "." {
		t.Errorf("%+v, %v; was %+v", got, err, m.Keys)
	}
}
