package dataset_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestPrintLongName checks an empty coordinate whose name fills the line.
func TestPrintLongName(t *testing.T) {
	g, name := root(t), strings.Repeat("n", 100)
	put(t, g, name, zarr.Spec{Shape: []int{0}, DType: dtype.Int32, Dims: []string{name}}, []int32{})
	var b bytes.Buffer
	if err := open(t, g).Print(&b); err != nil || !strings.Contains(b.String(), name+"  ("+name+") int32 0B\n") {
		t.Errorf("%s, %v", b.String(), err)
	}
}
