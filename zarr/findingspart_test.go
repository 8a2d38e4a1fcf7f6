package zarr_test

import (
	"context"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestFindingsOfParts checks that with Findings a part of an uncompressed chunk of numbers is still
// read alone, because no number violates a rule. A chunk of bools is read whole.
func TestFindingsOfParts(t *testing.T) {
	for _, c := range []struct {
		of   dtype.Type
		read int64
	}{{dtype.Uint8, 1 << 12}, {dtype.Float32, 4 << 12}, {dtype.Complex64, 8 << 12}, {dtype.Bool, 1 << 18}} {
		inner, read := mem.New(), int64(0)
		st := store.Observe(inner, func(_ context.Context, e store.Event) {
			if e.Op == store.OpGet && e.Key == "x/c/0/0" {
				read += e.Bytes
			}
		})
		a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{64, 1 << 12}, Chunks: []int{64, 1 << 12}, DType: c.of, Codecs: []codec.Spec{codec.Bytes(dtype.Little)}})
		succeed(t, a.WriteBytes(t.Context(), make([]byte, c.of.Size()), zarr.At(0), zarr.At(0)))
		succeed(t, second(inner.Put(t.Context(), "x/c/0/0", make([]byte, c.of.Size()<<18), store.PutOptions{})))
		with, err := a.With(zarr.OnFinding(func(rule.Finding) {}))
		if err != nil {
			t.Fatal(err)
		}
		read = 0
		succeed(t, with.ReadBytes(t.Context(), make([]byte, c.of.Size()<<12), zarr.At(3)))
		if read != c.read {
			t.Errorf("%v: %d bytes were read, not %d", c.of, read, c.read)
		}
	}
}
