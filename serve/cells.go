package serve

import (
	"context"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// cells are elements in C order.
type cells interface {
	appendJSON(dst []byte, i int) []byte // null is missing or infinite
	appendCSV(dst []byte, i int) []byte
	write(w *npy.Writer) error
}

// elements reads the elements of a variable, in the types that xarray decodes them to. Integers that
// may be missing stay exact, except for NumPy.
type elements struct {
	*dataset.Variable
	each  int64      // bytes of memory for an element
	numpy dtype.Type // nil if NumPy has no such elements of a fixed length
	kind  string     // float, integer or string of CoverageJSON; "" if it has no such type
	read  func(ctx context.Context, part *dataset.Variable) (cells, error)
}
