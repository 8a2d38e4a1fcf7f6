package npy

import (
	"io"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
)

// Reader reads the elements of a file as Go values. It is not safe for concurrent use.
type Reader struct {
	Header Header // header of the file; the caller must not change it

	r    io.Reader
	left int64 // number of elements that are not read yet
}

// NewReader reads the header of a file and returns a Reader of its elements. The Reader never reads
// beyond the elements, so that r may contain several files in sequence.
func NewReader(r io.Reader) (*Reader, error) {
	h, err := ReadHeader(r)
	if err != nil {
		return nil, err
	}
	if _, err := h.Bytes(); err != nil {
		return nil, err
	}
	n, err := h.Elems()
	return &Reader{h, r, n}, err
}

// Read reads the next elements into dst, in the order of the file, and returns their number. The
// number is less than len(dst) only if no elements remain after it. If no elements remain, Read
// returns 0 and io.EOF.
//
// T must fit the data type, as in [zarr.Read]: float32 for float32, a struct with tags for a
// structured data type, [dtype.Instant] for datetime64. Otherwise Read returns fault.Type and reads
// nothing. Numbers are read into dst without other memory. For other elements Read needs 64 KiB or
// the size of one element, whichever is larger.
//
// After other errors the contents of dst are undefined.
//
// [zarr.Read]: https://pkg.go.dev/github.com/zargo-io/zargo/zarr#Read
// [dtype.Instant]: https://pkg.go.dev/github.com/zargo-io/zargo/zarr/dtype#Instant
func Read[T any](r *Reader, dst []T) (int, error) {
	f, err := formOf[T](r.Header.Type)
	if err != nil || len(dst) == 0 {
		return 0, err
	}
	if r.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(dst)), r.left))
	if view, ok := bytesview.Of(dst[:n]); ok && f.moves == nil {
		err = r.Header.ReadBytes(r.r, view)
	} else {
		err = f.blocks(dst[:n], func(part []T, b []byte) error {
			if err := r.Header.ReadBytes(r.r, b); err != nil {
				return err
			}
			return f.take(part, b)
		})
	}
	if err != nil {
		return 0, err
	}
	r.left -= int64(n)
	return n, nil
}
