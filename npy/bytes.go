package npy

import (
	"io"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// ReadBytes fills b with the next elements in memory form. The length of b must be a multiple of the
// element size. The elements keep the order of the file. [FromFortran] converts them to C order.
func (h Header) ReadBytes(r io.Reader, b []byte) error {
	if _, err := io.ReadFull(r, b); err != nil {
		return short(err, "the elements")
	}
	if reorder := dtype.Reorder(h.Type, h.Order); reorder != nil {
		reorder(b)
	}
	h.Type.Canon(b)
	return nil
}

// FromFortran copies the elements of an array from src, in Fortran order, to dst, in C order. Both
// have the length of the array and must not overlap. An element is each consecutive Ts: 1 for
// values, the size of an element for bytes in memory form.
func FromFortran[T any](dst, src []T, shape []int, each int) {
	if len(src) == 0 {
		return
	}
	stride := make([]int, len(shape)) // strides in src
	step := each
	for i, d := range shape {
		stride[i] = step
		step *= d
	}
	index := make([]int, len(shape))
	from := 0
	for to := 0; to < len(dst); to += each {
		copy(dst[to:to+each], src[from:from+each])
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis]++
			from += stride[axis]
			if index[axis] < shape[axis] {
				break
			}
			from -= index[axis] * stride[axis]
			index[axis] = 0
		}
	}
}
