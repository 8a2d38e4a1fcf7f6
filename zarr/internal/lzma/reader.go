package lzma

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

const (
	// MaxWindow is the largest dictionary of a Reader in bytes, that of preset 9.
	MaxWindow = 64 << 20
	// minSlide is the minimum number of bytes that a Reader decodes between two moves of its
	// dictionary.
	minSlide = 64 << 10
)

// Reader decodes the LZMA1 stream of a member of a zip archive (APPNOTE 5.8.8): 2 bytes of version,
// 2 bytes with the length of the properties, 5 bytes of properties, and the stream. Its memory is
// at most 1.25 times the smaller of the size of the dictionary and the size of the value, and is
// allocated as the output grows. A Reader is not safe for concurrent use.
type Reader struct {
	o      output
	read   int   // bytes of o that Read has returned
	lack   int64 // bytes that are not decoded yet
	window int
	done   bool
	err    error
}

// NewReader returns a reader of a member whose decoded size is size. It returns fault.Corrupt for
// an invalid header, and fault.Limit for a dictionary of more than MaxWindow bytes that the value
// needs.
func NewReader(src []byte, size int64) (*Reader, error) {
	const header = 9
	if len(src) < header || binary.LittleEndian.Uint16(src[2:]) != 5 {
		return nil, fault.Newf(fault.Corrupt, "lzma: invalid header of a zip member")
	}
	p, ok := propertiesOf(src[4])
	if !ok {
		return nil, fault.Newf(fault.Corrupt, "lzma: invalid properties %#x", src[4])
	}
	window := min(max(int64(binary.LittleEndian.Uint32(src[5:])), 4096), max(size, 1))
	if window > MaxWindow {
		return nil, fault.Newf(fault.Limit, "lzma: the value of %d bytes needs a dictionary of %d bytes, more than %d", size, window, MaxWindow)
	}
	r := &Reader{lack: size, window: int(window)}
	most := window
	if size > window {
		most += max(minSlide, window/4) + maxMatch
	}
	r.o = *newOutput(nil, int(most), len(src))
	r.o.coder.reset(p)
	if !r.o.coder.start(src[header:]) {
		return nil, fault.Newf(fault.Corrupt, "lzma: %v", errStart)
	}
	return r, nil
}

// Read implements io.Reader. It returns fault.Corrupt for a stream that does not have exactly the
// announced size.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.read == r.o.n {
		if r.err == nil {
			r.err = r.decode()
		}
		if r.err != nil {
			return 0, r.err
		}
	}
	n := copy(p, r.o.b[r.read:r.o.n])
	r.read += n
	return n, nil
}

// decode decodes more bytes, all of which fit into the output. It returns io.EOF after the end of
// the stream.
func (r *Reader) decode() error {
	if r.done {
		return io.EOF
	}
	o, d := &r.o, &r.o.coder
	if drop := o.n - r.window; drop > 0 && o.n+maxMatch >= o.most {
		copy(o.b, o.b[drop:o.n])
		o.n -= drop
		o.start -= drop
		r.read -= drop
	}
	end := math.MaxInt
	if r.lack < int64(math.MaxInt-o.n) {
		end = o.n + int(r.lack)
	}
	stop := o.most - maxMatch
	if end <= o.most {
		stop = end
	}
	from := o.n
	marked, err := d.runUntil(o, end, max(stop, from+1))
	r.lack -= int64(o.n - from)
	switch {
	case err == nil && (marked || r.lack == 0):
		r.done = true
		if err = d.finish(o, marked); err == nil && r.lack > 0 {
			err = errors.New("the stream ends before its size")
		}
	case err == nil && o.n == from:
		err = errCut
	}
	if err != nil {
		return fault.Newf(fault.Corrupt, "lzma: %v", err)
	}
	return nil
}
