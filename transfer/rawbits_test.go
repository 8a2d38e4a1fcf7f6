package transfer_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

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
