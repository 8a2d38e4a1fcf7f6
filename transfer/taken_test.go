package transfer_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestTakenTarget checks that plans are refused if their target has become another array, and that
// they do not write to it.
func TestTakenTarget(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, o := range []transfer.Options{{}, {Codecs: []codec.Spec{codec.Zstd(1)}}} {
			src, dst := mem.New(), mem.New()
			a := must(zarr.Create(t.Context(), src, "in", zarr.Spec{Format: format, Shape: []int{20}, Chunks: []int{2}, DType: dtype.Uint8, Fill: uint8(9)}))
			check(t, zarr.Write(t.Context(), a, make([]uint8, 18), zarr.Range(2, 20)))
			o.Source.Store, o.Target = "src", transfer.Place{Store: "dst", Path: "out"}
			p := must(transfer.NewPlan(t.Context(), a, dst, o))
			open := stores(map[string]store.Store{"src": src, "dst": dst})
			refused := func() {
				t.Helper()
				was := all(t, dst, "")
				if err := transfer.Run(t.Context(), p, open, transfer.RunOptions{}); !errors.Is(err, fault.Exists) {
					t.Errorf("v%d, %s: %v", format, p.Stages[0].Steps[0].Kind, err)
				}
				for i := range p.Tasks() - 1 {
					if err := transfer.RunTask(t.Context(), p, i, open); !errors.Is(err, fault.Exists) {
						t.Errorf("v%d, %s: task %d: %v", format, p.Stages[0].Steps[0].Kind, i, err)
					}
				}
				if now := all(t, dst, ""); !maps.Equal(was, now) {
					t.Errorf("v%d, %s: the array was written", format, p.Stages[0].Steps[0].Kind)
				}
			}
			// The array was created after the plan was made.
			b := must(zarr.Create(t.Context(), dst, "out", zarr.Spec{Format: format, Shape: []int{20}, Chunks: []int{2}, DType: dtype.Uint8}))
			check(t, zarr.Write(t.Context(), b, []uint8{5, 5, 5, 5}, zarr.Range(0, 4)))
			refused()
			check(t, store.DeleteBelow(t.Context(), dst, "out"))

			// The array is the completed copy, changed afterwards.
			check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
			equal(t, a, must(zarr.OpenArray(t.Context(), dst, "out")))
			check(t, transfer.Clean(t.Context(), p, open))
			b = must(zarr.OpenArray(t.Context(), dst, "out"))
			check(t, zarr.Write(t.Context(), b, []uint8{5, 5, 5, 5}, zarr.Range(0, 4)))
			must(b.SetAttrs(t.Context(), map[string]any{"by": "another"}))
			refused()
		}
	}
}
