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

// TestMissingValues checks that a copy in the other format has the missing value of its source in
// the form that xarray reads in that format. It also checks that elements are equal, including
// those of chunks that are not stored. TestMasked in integration/peers compares with xarray.
func TestMissingValues(t *testing.T) {
	for _, tt := range []struct {
		name   string
		format int // of the copy
		fill   any
		attrs  map[string]any // of the source
		dims   []string
		o      transfer.Options
		want   string // fill value and attribute of the copy
		said   string
	}{
		{"to v3", 3, 7, nil, []string{"x"}, transfer.Options{}, "[7 0] 7", "in: attribute _FillValue is 7"},
		{"to v3, undefined", 3, zarr.NoFill, nil, []string{"x"}, transfer.Options{}, "[0 0] <nil>", ""},
		{"to v3, switched off", 3, 7, nil, []string{"x"}, transfer.Options{NoFillAttribute: true}, "[7 0] <nil>", ""},
		{"to v3, no names", 3, 7, nil, nil, transfer.Options{}, "[7 0] <nil>", ""},
		{"to v2", 2, 7, map[string]any{"_FillValue": 7}, []string{"x"}, transfer.Options{}, "[7 0] <nil>", "in: attribute _FillValue is the fill value, 7"},
		{"to v2, another", 2, 7, map[string]any{"_FillValue": -1}, []string{"x"}, transfer.Options{}, "[255 255] <nil>", "in: fill value is -1, the attribute _FillValue"},
		{"to v2, none", 2, 7, nil, []string{"x"}, transfer.Options{}, "[] <nil>", "in: fill value is undefined, for xarray would take any for missing"},
		{"to v2, switched off", 2, 7, map[string]any{"_FillValue": -1}, []string{"x"}, transfer.Options{NoFillAttribute: true}, "[7 0] -1", ""},
		{"to v2, no names", 2, 7, map[string]any{"_FillValue": -1}, nil, transfer.Options{}, "[7 0] -1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, mem.New(), mem.New())
			spec := zarr.Spec{Format: 5 - tt.format, Shape: []int{6}, Chunks: []int{2}, DType: dtype.Int16, Fill: tt.fill, Attrs: tt.attrs}
			if spec.Dims = tt.dims; spec.Format == 2 && tt.dims != nil {
				spec.Dims, spec.Attrs = nil, map[string]any{"_ARRAY_DIMENSIONS": tt.dims}
			}
			a := must(zarr.Create(t.Context(), w.src, "in", spec))
			check(t, zarr.Write(t.Context(), a, []int16{-1, 3}, zarr.Range(2, 4)))
			said := ""
			tt.o.Masked = func(path, what string) { said += path + ": " + what }
			tt.o.Format, tt.o.Target.Path = tt.format, "out"
			w.run(w.plan(must(zarr.OpenArray(t.Context(), w.src, "in")), tt.o))
			b := must(zarr.OpenArray(t.Context(), w.dst, "out"))
			if got := fmt.Sprintf("%v %v", b.Fill(), b.Attrs()["_FillValue"]); got != tt.want || said != tt.said {
				t.Errorf("%s, want %s; said %q", got, tt.want, said)
			}
			if got, want := must(zarr.Read[int16](t.Context(), b)), must(zarr.Read[int16](t.Context(), a)); !slices.Equal(got, want) {
				t.Errorf("read %v, want %v", got, want)
			}
		})
	}
}

// TestRawBits checks that raw bits can be copied to v2, which has only the name of raw bytes for
// them, and back, also as fields of structures.
func TestRawBits(t *testing.T) {
	field := must(dtype.NewStruct(dtype.Field{Name: "a", Type: dtype.R(3)}, dtype.Field{Name: "b", Type: dtype.Int16}))
	for _, typ := range []dtype.Type{dtype.R(1), dtype.R(3), dtype.R(1000), dtype.V(3), field} {
		t.Run(typ.String(), func(t *testing.T) {
			w := newWorld(t, mem.New(), mem.New())
			fill := make([]byte, typ.Size())
			for i := range fill {
				fill[i] = byte(0xff - i)
			}
			a := must(zarr.Create(t.Context(), w.src, "in", zarr.Spec{Shape: []int{5}, Chunks: []int{2}, DType: typ, Fill: fill}))
			part := slices.Repeat([]byte{1, 0, 0xfe}, 2*typ.Size())[:2*typ.Size()]
			check(t, a.WriteBytes(t.Context(), part, zarr.Range(2, 4)))
			w.run(w.plan(a, transfer.Options{Format: 2, Target: transfer.Place{Path: "two"}}))
			two := must(zarr.OpenArray(t.Context(), w.dst, "two"))
			back := newWorld(t, w.dst, mem.New())
			back.run(back.plan(two, transfer.Options{Format: 3, Target: transfer.Place{Path: "three"}}))
			three := must(zarr.OpenArray(t.Context(), back.dst, "three"))
			want, got := make([]byte, 5*typ.Size()), make([]byte, 5*typ.Size())
			check(t, a.ReadBytes(t.Context(), want))
			for _, b := range []*zarr.Array{two, three} {
				if check(t, b.ReadBytes(t.Context(), got)); !slices.Equal(got, want) || !slices.Equal(b.Fill(), fill) {
					t.Errorf("v%d: %v, fill %v, want %v", b.Format(), got, b.Fill(), want)
				}
			}
		})
	}
}

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
