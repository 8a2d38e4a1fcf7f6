package deflate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Format is the wrapper around the deflated bytes.
type Format uint8

const (
	// Gzip is one or more members of RFC 1952.
	Gzip Format = iota
	// Zlib is one stream of RFC 1950.
	Zlib
)

// String is "gzip" or "zlib".
func (f Format) String() string { return [...]string{"gzip", "zlib"}[min(f, Zlib)] }

// reader is what one decoding needs; it is used again and again.
type reader struct {
	src  bytes.Reader // an io.ByteReader, so nothing is read past the end of a stream
	gzip gzip.Reader
	zlib io.ReadCloser
	one  [1]byte
}

// readers is a cache; nobody can tell whether a reader was used before.
var readers = sync.Pool{New: func() any { return new(reader) }}

// Decode appends what src holds to dst. More than limit bytes, and anything in src after the end, are fault.Corrupt.
// Where dst has room for the output nothing is allocated; bytes beyond its capacity are not touched.
func Decode(f Format, dst, src []byte, limit int) ([]byte, error) {
	r := readers.Get().(*reader)
	r.src.Reset(src)
	defer func() {
		r.src.Reset(nil)
		readers.Put(r)
	}()
	in, err := r.open(f)
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "%v header: %v", f, err)
	}
	dst, err = r.appendAll(dst, in, limit, len(src))
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "%v: %v", f, err)
	}
	if n := r.src.Len(); n > 0 {
		return dst, fault.Newf(fault.Corrupt, "%v: %d bytes after the end of the stream", f, n)
	}
	return dst, nil
}

func (r *reader) open(f Format) (io.Reader, error) {
	switch {
	case f == Gzip:
		return &r.gzip, noEOF(r.gzip.Reset(&r.src))
	case r.zlib != nil:
		return r.zlib, noEOF(r.zlib.(zlib.Resetter).Reset(&r.src, nil))
	}
	z, err := zlib.NewReader(&r.src)
	if err == nil {
		r.zlib = z
	}
	return z, noEOF(err)
}

// noEOF keeps the end of the source from being taken for a proper end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// appendAll reads to the end. The buffer grows as bytes come, from a size in proportion to the source.
func (r *reader) appendAll(dst []byte, in io.Reader, limit, srcLen int) ([]byte, error) {
	start, idle := len(dst), 0
	for {
		have := len(dst) - start
		p := r.one[:]
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
