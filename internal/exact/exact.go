package exact

import (
	"errors"
	"io"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// exactBelow is how many bytes Read allocates on the word of a server alone. 64 MiB: more than any
// chunk that reads well, little enough that 128 requests cannot exhaust a machine by announcements.
const exactBelow = 64 << 20

// Read appends exactly n bytes of r to buf. A buffer with room is not reallocated; one without is
// allocated once, at its exact size, except that a claim of more than 64 MiB that the caller has
// not bounded is allocated as bytes arrive.
//
// On error the result is buf with the bytes that did arrive; an early end is io.ErrUnexpectedEOF. fault.Limit: n does not fit an int.
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

// withRoom is slices.Grow at the exact size: growth by a factor would waste up to the size of a
// chunk.
func withRoom(buf []byte, n int) []byte {
	if cap(buf)-len(buf) >= n {
		return buf
	}
	return append(make([]byte, 0, len(buf)+n), buf...)
}

// End returns nil if r has no more bytes, fault.Unavailable if it has, and the error of the read
// otherwise. Stores call it after [Read], so that the connection can be reused and the checksum of
// the body is compared.
func End(r io.Reader) error {
	var one [1]byte
	n, err := io.ReadFull(r, one[:])
	switch {
	case n > 0:
		return fault.Newf(fault.Unavailable, "the answer is longer than it announced")
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}
