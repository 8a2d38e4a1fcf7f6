package zarr_test

import (
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestAppendKeepsNewAttrs appends to and resizes the array that SetAttrs returned. With
// SingleWriter both restored the old attributes in an earlier version, because the array kept the
// old document.
func TestAppendKeepsNewAttrs(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, opts := range [][]zarr.Option{nil, {zarr.SingleWriter()}} {
			st := mem.New()
			a, err := zarr.Create(t.Context(), st, "x", zarr.Spec{Format: format, Shape: []int{1}, DType: dtype.Uint8, Attrs: map[string]any{"a": "old"}}, opts...)
			if err != nil {
				t.Fatal(err)
			}
			if a, err = a.SetAttrs(t.Context(), map[string]any{"a": "new"}); err != nil {
				t.Fatal(err)
			}
			if a, err = zarr.Append(t.Context(), a, 0, []uint8{1}, zarr.AppendOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err = a.Resize(t.Context(), []int{3}, zarr.ResizeOptions{}); err != nil {
				t.Fatal(err)
			}
			if a, err = zarr.OpenArray(t.Context(), st, "x"); err != nil || a.Attrs()["a"] != "new" {
				t.Errorf("format %d %v: the attributes are %v, %v", format, opts, a.Attrs(), err)
			}
		}
	}
}
