package codec

import (
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Elems returns the number of elements of the Repr, which is 1 for zero dimensions. It returns
// fault.Limit if the number overflows an int, and fault.Metadata if a length is negative.
func (r Repr) Elems() (int, error) {
	n := 1
	for _, d := range r.Shape {
		if d < 0 {
			return 0, fault.Newf(fault.Metadata, "length %d in shape %v is negative", d, r.Shape)
		}
		if d != 0 && n > math.MaxInt/d {
			return 0, fault.Newf(fault.Limit, "the elements of shape %v do not fit in memory", r.Shape)
		}
		n *= d
	}
	return n, nil
}

// Bytes returns the size of the Repr in memory form, or 0 for elements of varying length. It
// returns fault.Limit if the size overflows an int.
func (r Repr) Bytes() (int, error) {
	n, err := r.Elems()
	if err != nil {
		return 0, err
	}
	if s := r.Type.Size(); s != 0 && n > math.MaxInt/s {
		return 0, fault.Newf(fault.Limit, "shape %v of %v does not fit in memory", r.Shape, r.Type)
	}
	return n * r.Type.Size(), nil
}
