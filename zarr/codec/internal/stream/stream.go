package stream

import (
	"errors"
	"fmt"
	"io"
)

// Appender appends what readers give. The zero value is ready; it may be used again.
type Appender struct {
	one [1]byte // where a byte goes that must not come
}

// Append reads to the end. More than limit bytes are an error, found before memory for them is
// allocated. Where dst has room nothing is allocated; else the buffer grows as bytes come, from a
// size in proportion to the source's length srcLen.
func (a *Appender) Append(dst []byte, in io.Reader, limit, srcLen int) ([]byte, error) {
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
		n, err := in.Read(p)
		switch {
		case n > 0 && full:
			return dst, fmt.Errorf("more than the %d bytes that are due", limit)
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

// NoEOF keeps the end of the source from being taken for a proper end.
func NoEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
