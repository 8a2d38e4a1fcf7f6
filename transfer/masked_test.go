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
