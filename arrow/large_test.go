//go:build !386 && !arm && !mips && !mipsle

package arrow_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestImportLarge imports into arrays with more elements, chunks, and elements of a chunk than
// memory can hold. Their lengths are not values of a 32-bit int.
func TestImportLarge(t *testing.T) {
	for chunk, want := range map[int]error{4: nil, 1 << 39: fault.Limit, 1 << 45: fault.Limit} {
		st := mem.New()
		v := dataset.VarSpec{Name: "v", Spec: zarr.Spec{Shape: []int{1 << 50}, Chunks: []int{chunk}, Dims: []string{"x"}, DType: dtype.Uint8}}
		d, err := dataset.Create(t.Context(), st, "", dataset.Spec{Vars: []dataset.VarSpec{v}}, dataset.Options{})
		must(t, err)
		last := 1<<50 - 1
		err = importText(t.Context(), t, st, arrow.ImportOptions{Labels: []string{"x"}}, fmt.Sprintf("x,v\n7,1\n%d,2\n", last))
		if !errors.Is(err, want) {
			t.Errorf("chunks of %d elements: %v", chunk, err)
		}
		if want == nil {
			v, err := d.Var("v")
			must(t, err)
			got, err := zarr.Read[uint8](t.Context(), v.Array(), zarr.Index(6, 7, last))
			if must(t, err); !bytes.Equal(got, []byte{0, 1, 2}) {
				t.Errorf("got %v", got)
			}
		}
	}
}
