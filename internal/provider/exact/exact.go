package exact

import (
	"errors"
	"io"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Read appends exactly n bytes of r to buf. If the capacity of buf is too small, Read allocates
// memory of the exact size once. If n is more than 64 MiB and bounded is false, the memory grows as
// bytes arrive instead.
//
// If Read fails, it returns buf with the bytes that have arrived. The error is io.ErrUnexpectedEOF
// if r ends early, and fault.Limit if n exceeds the range of int.
func Read(buf []byte, r io.Reader, n int64, bounded bool) ([]byte, error) {
	if n < 0 || n > int64(math.MaxInt-len(buf)) {
		return buf, fault.Newf(fault.Limit, "a value of %d bytes does not fit in memory", n)
	}
	for left := int(n); left > 0; {
		step := left
		if room := cap(buf) - len(buf); room >= left || bounded || left <= exactBelow {
			buf = withRoom(buf, left)
		} else {
			step = min(left, max(exactBelow, len(buf)))
			buf = withRoom(buf, step)
		}
		m, err := io.ReadFull(r, buf[len(buf):len(buf)+step])
		buf = buf[:len(buf)+m]
		left -= m
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// exactBelow is the maximum number of bytes that Read allocates before any bytes arrive, unless the
// caller has bounded the length. Chunks of reasonable size are shorter than 64 MiB, and 128
// requests with false announcements of this length do not exhaust the memory of a machine.
const exactBelow = 64 << 20

// withRoom returns buf with capacity for exactly n more bytes. slices.Grow could allocate much
// more.
func withRoom(buf []byte, n int) []byte {
	if cap(buf)-len(buf) >= n {
		return buf
	}
	return append(make([]byte, 0, len(buf)+n), buf...)
}

// End returns nil if r has no more bytes, and fault.Unavailable if r has more bytes. If it cannot
// read r, it returns the error of r. Stores call End after [Read], so that the connection can be
// reused and the checksum of the body is compared.
func End(r io.Reader) error {
	var one [1]byte
	n, err := io.ReadFull(r, one[:])
	switch {
	case n > 0:
		return fault.Newf(fault.Unavailable, "the response is longer than its announced length")
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}
