package diff_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/diff"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func array(t *testing.T, s zarr.Spec) *zarr.Array {
	t.Helper()
	a, err := zarr.Create(t.Context(), mem.New(), "x", s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func run(t *testing.T, a, b zarr.Node, o diff.Options) *diff.Result {
	t.Helper()
	r, err := diff.Run(t.Context(), a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func put[T any](t *testing.T, a *zarr.Array, values ...T) {
	t.Helper()
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
}

// TestValuesInAnyChunks checks that the different elements do not depend on chunks and memory.
func TestValuesInAnyChunks(t *testing.T) {
	shape := []int{7, 5, 6}
	values := make([]int32, 7*5*6)
	for i := range values {
		values[i] = int32(i)
	}
	a := array(t, zarr.Spec{Shape: shape, Chunks: []int{2, 3, 4}, DType: dtype.Int32})
	put(t, a, values...)
	values[0], values[100], values[209] = -1, -1, -1 // [0 0 0], [3 1 4] and [6 4 5]
	for _, s := range []zarr.Spec{
		{Chunks: []int{7, 5, 6}},
		{Chunks: []int{1, 1, 6}},
		{Chunks: []int{2, 1, 2}, Shards: []int{4, 5, 6}},
		{ChunkEdges: [][]int{{1, 2, 4}, {5}, {3, 3}}},
		{Chunks: []int{3, 3, 3}, Format: 2, Order: "F"},
	} {
		s.Shape, s.DType = shape, dtype.Int32
		b := array(t, s)
		put(t, b, values...)
		for _, memory := range []int64{0, 1, 200, 1000} {
			for _, pair := range [][2]zarr.Node{{a, b}, {b, a}} {
				r := run(t, pair[0], pair[1], diff.Options{SkipMetadata: true, Memory: memory})
				if r.Elements != 210 || len(r.Nodes) != 1 || r.Nodes[0].Values.Different != 3 || r.Nodes[0].Values.Of != 210 {
					t.Fatalf("%+v in %d bytes: %+v", s, memory, r)
				}
				at := map[string]bool{}
				for _, e := range r.Nodes[0].Values.First {
					at[fmt.Sprint(e.At)] = true
				}
				if !at["[0 0 0]"] || !at["[3 1 4]"] || !at["[6 4 5]"] || len(at) != 3 {
					t.Errorf("%+v in %d bytes: %v", s, memory, at)
				}
			}
		}
		if r := run(t, b, b, diff.Options{}); !r.Equal() {
			t.Errorf("%+v differs from itself: %+v", s, r)
		}
	}
}

// TestBits checks that values are compared bit by bit.
func TestBits(t *testing.T) {
	spec := zarr.Spec{Shape: []int{4}, DType: dtype.Float64}
	a, b := array(t, spec), array(t, spec)
	other := math.Float64frombits(math.Float64bits(math.NaN()) ^ 2)
	put(t, a, math.NaN(), math.NaN(), 0, 1)
	put(t, b, math.NaN(), other, math.Copysign(0, -1), 1)
	v := run(t, a, b, diff.Options{First: 1}).Nodes[0].Values
	if v.Different != 2 || len(v.First) != 1 || v.First[0].At[0] != 1 {
		t.Errorf("%+v", v)
	}
}

// TestKindsOfArrays checks that a missing chunk equals a chunk of the fill value. It compares
// arrays of text, scalars and empty arrays.
func TestKindsOfArrays(t *testing.T) {
	ctx := t.Context()
	spec := zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int8, Fill: 5}
	a, b := array(t, spec), array(t, spec)
	b, err := b.With(zarr.StoreFill())
	if err != nil {
		t.Fatal(err)
	}
	put[int8](t, b, 5, 5, 5, 5)
	if r := run(t, a, b, diff.Options{}); !r.Equal() || r.Elements != 4 {
		t.Errorf("%+v", r)
	}
	text := zarr.Spec{Shape: []int{3}, Chunks: []int{1}, DType: dtype.String}
	a, b = array(t, text), array(t, text)
	if err := b.WriteItems(ctx, [][]byte{{}, []byte("é"), {}}); err != nil {
		t.Fatal(err)
	}
	if e := run(t, a, b, diff.Options{}).Nodes[0].Values.First; len(e) != 1 || e[0].At[0] != 1 || string(e[0].B) != `"é"` {
		t.Errorf("%v", e)
	}
	scalar := zarr.Spec{DType: dtype.Int8, Shape: []int{}}
	a, b = array(t, scalar), array(t, scalar)
	put[int8](t, b, 3)
	if v := run(t, a, b, diff.Options{}).Nodes[0].Values; v.Different != 1 || len(v.First) != 1 || len(v.First[0].At) != 0 {
		t.Errorf("%+v", v)
	}
	empty := zarr.Spec{DType: dtype.Int8, Shape: []int{0, 3}}
	if r := run(t, array(t, empty), array(t, empty), diff.Options{}); !r.Equal() || r.Elements != 0 {
		t.Errorf("%+v", r)
	}
}

// TestHugeChunks checks that chunks larger than the memory limit return an error and are not
// allocated.
func TestHugeChunks(t *testing.T) {
	a := array(t, zarr.Spec{Shape: []int{math.MaxInt}, Chunks: []int{1 << 30}, DType: dtype.Int8})
	b := array(t, zarr.Spec{Shape: []int{math.MaxInt}, Chunks: []int{math.MaxInt}, DType: dtype.Int8})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := diff.Run(ctx, a, b, diff.Options{Memory: 1 << 20}); err == nil {
		t.Error("no error")
	}
}

// TestMetadata checks that all members that differ are reported. Values of different shapes or data
// types are not compared and count as different.
func TestMetadata(t *testing.T) {
	a := array(t, zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int8, Dims: []string{"x"}, Attrs: map[string]any{"same": 1, "a": 1}})
	b := array(t, zarr.Spec{Shape: []int{5}, Shards: []int{4}, Chunks: []int{1}, DType: dtype.Int16, Fill: 1, Separator: ".", Attrs: map[string]any{"same": 1, "b": nil}})
	n := run(t, a, b, diff.Options{}).Nodes[0]
	got := ""
	for _, m := range n.Members {
		got += fmt.Sprintf("%s %s %s\n", m.Name, m.A, m.B)
	}
	t.Log(got)
	for _, name := range []string{"shape", "data_type", "fill_value", "chunks", "shards", "codecs", "chunk_key_encoding", "dimension_names", "attributes/a", "attributes/b"} {
		found := false
		for _, m := range n.Members {
			found = found || m.Name == name
		}
		if !found {
			t.Errorf("no %s", name)
		}
	}
	if len(n.Members) != 10 || n.Values == nil || n.Values.Not == "" {
		t.Errorf("%+v", n)
	}
}

// TestRawBits checks that raw bits in v3 equal the raw bytes that v2 has for them, also as fields
// of structures.
func TestRawBits(t *testing.T) {
	field, err := dtype.NewStruct(dtype.Field{Name: "a", Type: dtype.R(3)}, dtype.Field{Name: "b", Type: dtype.Int16})
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []dtype.Type{dtype.R(1), dtype.R(3), dtype.R(1000), dtype.V(3), field} {
		values := bytes.Repeat([]byte{1, 0, 0xfe}, 5*typ.Size())[:5*typ.Size()]
		var formats [2]*zarr.Array
		for i := range formats {
			formats[i] = array(t, zarr.Spec{Format: 2 + i, Shape: []int{5}, Chunks: []int{2}, DType: typ})
			if err := formats[i].WriteBytes(t.Context(), values); err != nil {
				t.Fatal(err)
			}
		}
		if r := run(t, formats[0], formats[1], diff.Options{SkipMetadata: true}); !r.Equal() {
			t.Errorf("%v: %+v", typ, r)
		}
		values[0]++
		if err := formats[1].WriteBytes(t.Context(), values); err != nil {
			t.Fatal(err)
		}
		if r := run(t, formats[0], formats[1], diff.Options{SkipMetadata: true}); r.Equal() {
			t.Errorf("%v: a changed byte is no difference", typ)
		}
	}
}
