package conformance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestSpans reads parts of uncompressed chunks of 1 MiB on every place. Each read must be one
// request for the enclosing bytes. A chunk of the wrong length must return an error.
func TestSpans(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		o := p.open(t)
		const rows, cols = 512, 1024
		values := make([]uint16, rows*cols)
		for i := range values {
			values[i] = uint16(i*7) | 1
		}
		for name, order := range map[string]dtype.Order{"little": dtype.Little, "big": dtype.Big} {
			a, err := zarr.Create(t.Context(), o.writer(), name, zarr.Spec{Shape: []int{3 * rows, cols}, Chunks: []int{rows, cols}, DType: dtype.Uint16,
				Codecs: []codec.Spec{codec.Bytes(order)}})
			if err == nil {
				err = zarr.Write(t.Context(), a, values, zarr.Range(0, rows))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := o.writer().Put(t.Context(), "little/c/2/0", make([]byte, 2*rows*cols-1), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		var gets, received atomic.Int64
		s := store.Observe(o.s, func(_ context.Context, e store.Event) {
			if strings.Contains(e.Key, "/c/") {
				gets.Add(1)
				received.Add(e.Bytes)
			}
		})
		for _, name := range []string{"little", "big"} {
			a, err := zarr.OpenArray(t.Context(), s, name)
			if err != nil {
				t.Fatal(err)
			}
			read := func(want int64, sel ...zarr.Selection) []uint16 {
				t.Helper()
				gets.Store(0)
				received.Store(0)
				got, err := zarr.Read[uint16](t.Context(), a, sel...)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if gets.Load() != 1 || received.Load() != want {
					t.Errorf("%s: %d requests for %d bytes, want one for %d", name, gets.Load(), received.Load(), want)
				}
				return got
			}
			if got := read(2*2*cols, zarr.Range(100, 102)); !slices.Equal(got, values[100*cols:102*cols]) {
				t.Errorf("%s: other rows", name)
			}
			if got := read(2*(cols+8), zarr.Range(510, 512), zarr.Range(8, 16)); !slices.Equal(got, slices.Concat(values[510*cols+8:510*cols+16], values[511*cols+8:511*cols+16])) {
				t.Errorf("%s: another block", name)
			}
			if got := read(2, zarr.At(511), zarr.At(cols-1)); got[0] != values[rows*cols-1] {
				t.Errorf("%s: another element", name)
			}
			if got := read(0, zarr.At(rows+5)); slices.Max(got) != 0 {
				t.Errorf("%s: values in a chunk that is absent", name)
			}
		}
		a, err := zarr.OpenArray(t.Context(), o.s, "little")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []int{0, rows - 1} {
			if _, err := zarr.Read[uint16](t.Context(), a, zarr.At(2*rows+row)); !errors.Is(err, zarr.ErrCorrupt) {
				t.Errorf("row %d of a chunk that is too short: %v", row, err)
			}
		}
	})
}
