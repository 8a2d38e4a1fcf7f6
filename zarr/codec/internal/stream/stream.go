package stream

import (
	"errors"
	"fmt"
	"io"
)

// Appender appends the bytes of readers. The zero value is ready to use. An Appender may be used
// any number of times.
type Appender struct {
	one [1]byte // receives a byte beyond the limit
}

// Append reads r to its end and appends the bytes to dst. If r has more than limit bytes, Append
// returns an error and allocates no memory for the excess. If dst has enough capacity, nothing is
// allocated. Otherwise the buffer grows as bytes arrive. The first allocation is proportional to
// srcLen, the length of the encoded source.
func (a *Appender) Append(dst []byte, r io.Reader, limit, srcLen int) ([]byte, error) {
	start, idle := len(dst), 0
	for {
		have := len(dst) - start
		p := a.one[:]
		full := have == limit
		if !full {
			if len(dst) == cap(dst) {
				want := max(2*have, 4*min(srcLen, 1<<28), 512)
				dst = append(make([]byte, 0, start+min(want, limit)), dst...)
			}
			p = dst[len(dst):min(cap(dst), start+limit)]
		}
		n, err := r.Read(p)
		switch {
		case n > 0 && full:
			return dst, fmt.Errorf("decoded to more than %d bytes", limit)
		case n == 0 && err == nil:
			if idle++; idle > 100 {
				return dst, io.ErrNoProgress
			}
			continue
		}
		idle = 0
		dst = dst[:len(dst)+n]
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}

// NoEOF returns io.ErrUnexpectedEOF for io.EOF, and other errors unchanged.
func NoEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
