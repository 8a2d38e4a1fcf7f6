package npy

import (
	"io"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// ReadData fills b, whose length is a multiple of the element's size, with the next elements in
// memory form. Their order is the file's; see [FromFortran].
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

// FromFortran lays src, the elements of an array of a shape in Fortran order, out in C order in
// dst. Both have the length of the array, and do not overlap; size is an element's bytes.
func FromFortran(dst, src []byte, shape []int, size int) {
	if len(src) == 0 {
		return
	}
	stride := make([]int, len(shape)) // in src, in bytes
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
