package transfer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
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
