package transfer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// nested returns codecs of arrays of 11 × 13 in shards of 8 × 6: shards in shards, shards of
// transposed arrays, and shards with another index.
func nested() map[string][]codec.Spec {
	in := func(chunk []int, atStart bool, codecs ...codec.Spec) codec.Spec {
		return codec.Sharding(codec.ShardingOptions{Chunk: chunk, Codecs: codecs, AtStart: atStart})
	}
	turn, zstd := codec.Transpose(1, 0), codec.Zstd(1)
	return map[string][]codec.Spec{
		"ends":              {in([]int{4, 6}, false, in([]int{2, 2}, false, codec.Bytes(0), zstd))},
		"starts":            {in([]int{4, 3}, true, in([]int{1, 3}, true))},
		"transposed before": {turn, in([]int{3, 4}, false, in([]int{1, 2}, true))},
		"transposed within": {in([]int{4, 6}, true, turn, in([]int{3, 2}, false))},
		"transposed twice":  {turn, in([]int{6, 4}, false, turn, in([]int{2, 3}, false, turn, codec.Bytes(0)))},
		"three":             {in([]int{8, 6}, false, in([]int{4, 6}, true, turn, in([]int{3, 2}, false, codec.Bytes(dtype.Big), zstd)))},
		"compressed within": {in([]int{4, 6}, false, in([]int{2, 2}, false), zstd)},
		"one, at the start": {in([]int{2, 2}, true, codec.Bytes(0), zstd)},
		"one, transposed":   {turn, in([]int{3, 2}, false, codec.Bytes(0), zstd)},
	}
}

// TestNestedShards checks that copies of arrays with nested shards can have other chunks, other
// shards, no shards and format 2.
func TestNestedShards(t *testing.T) {
	grid := func(chunks, shards []int) transfer.Options {
		return transfer.Options{Grid: func(*zarr.Array) ([]int, []int, error) { return chunks, shards, nil }}
	}
	innermost := map[string][]int{
		"ends": {2, 2}, "starts": {1, 3}, "transposed before": {2, 1}, "transposed within": {2, 3}, "transposed twice": {2, 3}, "three": {2, 3},
		"compressed within": {2, 2}, "one, at the start": {2, 2}, "one, transposed": {2, 3},
	}
	for name, codecs := range nested() {
		for change, o := range map[string]transfer.Options{
			"chunks": grid([]int{4, 3}, nil), "shards": grid(nil, []int{16, 12}), "both": grid([]int{5, 5}, []int{10, 10}),
			"no shards": grid(nil, []int{}), "chunks, no shards": grid([]int{3, 13}, []int{}), "format 2": {Format: 2},
			"format 2, chunks": {Format: 2, Grid: grid([]int{4, 4}, nil).Grid},
		} {
			t.Run(fmt.Sprintf("%s/%s", name, change), func(t *testing.T) {
				w := newWorld(t, mem.New(), mem.New())
				a := must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{11, 13}, Chunks: []int{8, 6}, DType: dtype.Float32, Fill: -1, Codecs: codecs}))
				values := make([]float32, 11*13)
				for i := range values {
					values[i] = float32(i) / 3
				}
				check(t, zarr.Write(t.Context(), a, values))
				w.run(w.plan(a, o))
				b := must(zarr.OpenArray(t.Context(), w.dst, ""))
				if got := must(zarr.Read[float32](t.Context(), b)); !slices.Equal(got, values) {
					t.Errorf("read %v", got)
				}
				if change == "format 2" && !slices.Equal(b.Chunks(), innermost[name]) {
					t.Errorf("chunks %v, want the innermost ones, %v", b.Chunks(), innermost[name])
				}
				if want := map[string][]int{"chunks": {8, 6}, "shards": {16, 12}, "both": {10, 10}}[change]; want != nil && !slices.Equal(b.Shards(), want) {
					t.Errorf("shards %v, want %v", b.Shards(), want)
				}
			})
		}
	}
}

// TestStructsToFormats copies arrays of structs to the other format and back. zarr-python 3.4.2
// reads the same elements and fill values from the three arrays.
func TestStructsToFormats(t *testing.T) {
	inner := must(dtype.NewStruct(dtype.Field{Name: "a", Type: dtype.Int32}, dtype.Field{Name: "b", Type: dtype.Float64}))
	types := map[string]dtype.Type{
		"flat":   inner,
		"nested": must(dtype.NewStruct(dtype.Field{Name: "p", Type: inner}, dtype.Field{Name: "k", Type: dtype.Bool})),
	}
	fills := map[string]string{"flat": `{"a":7,"b":"NaN"}`, "nested": `{"p":{"a":-1,"b":0.5},"k":true}`}
	for name, dt := range types {
		ctx := t.Context()
		w := newWorld(t, mem.New(), mem.New())
		g := must(zarr.CreateGroup(ctx, w.src, "g", zarr.Spec{}))
		a := must(g.CreateArray(ctx, "r", zarr.Spec{Shape: []int{4}, Chunks: []int{1}, DType: dt, Fill: json.RawMessage(fills[name])}))
		some := bytes.Repeat([]byte{1}, dt.Size())
		check(t, a.WriteBytes(ctx, some, zarr.Index(2)))
		w.run(w.plan(g, transfer.Options{Format: 2, Target: transfer.Place{Path: "two"}}))
		two := must(zarr.OpenArray(ctx, w.dst, "two/r"))
		back := newWorld(t, w.dst, mem.New())
		back.run(back.plan(two, transfer.Options{Format: 3}))
		three := must(zarr.OpenArray(ctx, back.dst, ""))
		for _, b := range []*zarr.Array{two, three} {
			x, y := make([]byte, 4*dt.Size()), make([]byte, 4*dt.Size())
			check(t, a.ReadBytes(ctx, x))
			check(t, b.ReadBytes(ctx, y))
			if !bytes.Equal(x, y) || !bytes.Equal(a.Fill(), b.Fill()) {
				t.Errorf("%s, v%d: %v, fill %v, want %v, fill %v", name, b.Format(), y, b.Fill(), x, a.Fill())
			}
		}
	}
}
