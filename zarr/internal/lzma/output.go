package lzma

import (
	"errors"
	"math"
)

// output collects the decoded bytes. It is also the dictionary, so a dictionary size in a header
// takes no memory.
type output struct {
	b     []byte // decoded bytes and free space
	n     int    // number of decoded bytes
	start int    // start of the dictionary; negative if a Reader has dropped it
	most  int    // maximum of n
	hint  int    // initial free space

	// coder is reused for all streams and blocks, because its probabilities may take more memory
	// than a short stream.
	coder decoder
}

var errLimit = errors.New("decoded to more bytes than the chunk has")

// newOutput returns an output that appends up to limit bytes to dst. The buffer grows with the
// output. The first allocation is proportional to srcLen, the length of the source.
func newOutput(dst []byte, limit, srcLen int) *output {
	most := len(dst) + min(limit, math.MaxInt-len(dst))
	return &output{b: dst[:min(cap(dst), most)], n: len(dst), start: len(dst), most: most, hint: max(512, 4*min(srcLen, 1<<26))}
}

func (o *output) bytes() []byte { return o.b[:o.n] }

// room ensures that there is free space for n more bytes.
func (o *output) room(n int) error {
	if n > o.most-o.n {
		return errLimit
	}
	if len(o.b)-o.n >= n {
		return nil
	}
	size := min(o.most-o.n, max(n, o.n, o.hint))
	b := make([]byte, o.n+size)
	copy(b, o.b[:o.n])
	o.b = b
	return nil
}

func (o *output) put(c byte) error {
	if o.n == len(o.b) {
		if err := o.room(1); err != nil {
			return err
		}
	}
	o.b[o.n] = c
	o.n++
	return nil
}

// back returns the byte at distance d+1. It returns 0 for a position before the start of the
// dictionary.
func (o *output) back(d uint32) byte {
	if int64(d) >= int64(o.n-max(o.start, 0)) {
		return 0
	}
	return o.b[o.n-1-int(d)]
}

var errDistance = errors.New("distance of a match exceeds the dictionary")

// repeat appends n bytes that start at distance d+1 before the end of the output.
func (o *output) repeat(d uint32, n int) error {
	if int64(d) >= int64(o.n-max(o.start, 0)) {
		return errDistance
	}
	if err := o.room(n); err != nil {
		return err
	}
	from := o.n - 1 - int(d)
	for end := o.n + n; o.n < end; {
		o.n += copy(o.b[o.n:end], o.b[from:o.n])
	}
	return nil
}
