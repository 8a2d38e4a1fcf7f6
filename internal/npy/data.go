package npy

import (
	"io"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// ReadData fills b with the next elements in memory form. The length of b must be a multiple of the
// element size. The elements keep the order of the file. [FromFortran] converts them to C order.
func (h Header) ReadData(r io.Reader, b []byte) error {
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
// have the length of the array and must not overlap. size is the size of an element in bytes.
func FromFortran(dst, src []byte, shape []int, size int) {
	if len(src) == 0 {
		return
	}
	stride := make([]int, len(shape)) // strides in src, in bytes
	step := size
	for i, d := range shape {
		stride[i] = step
		step *= d
	}
	index := make([]int, len(shape))
	from := 0
	for to := 0; to < len(dst); to += size {
		copy(dst[to:to+size], src[from:from+size])
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
