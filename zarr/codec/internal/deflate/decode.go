package deflate

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"github.com/zargo-io/zargo/zarr/codec/internal/stream"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Format is the container format of deflated bytes.
type Format uint8

const (
	// Gzip is one or more gzip members (RFC 1952).
	Gzip Format = iota
	// Zlib is one zlib stream (RFC 1950).
	Zlib
)

// String returns "gzip" or "zlib".
func (f Format) String() string { return [...]string{"gzip", "zlib"}[min(f, Zlib)] }

// reader is the reusable state of one decoding.
type reader struct {
	bytes []byte
	src   bytes.Reader // reads bytes; as an io.ByteReader it is never read past the end of a stream
	gzip  gzip.Reader
	zlib  io.ReadCloser
	all   stream.Appender
}

// readers holds at most 32 idle readers of about 50 KB each. They are not in a sync.Pool, from
// which the garbage collector would free them: a new reader allocates tables again for many blocks.
// The output does not depend on the reader that is used.
var readers = make(chan *reader, 32)

func take() *reader {
	select {
	case r := <-readers:
		return r
	default:
		return new(reader)
	}
}

func (r *reader) giveBack() {
	r.src.Reset(nil)
	r.bytes = nil
	select {
	case readers <- r:
	default:
	}
}

// Decode appends the content of src to dst. It returns fault.Corrupt if the content exceeds limit
// bytes or if bytes follow the end of the stream. If dst has enough capacity, nothing is allocated.
// Bytes beyond dst's capacity are not modified.
func Decode(f Format, dst, src []byte, limit int) ([]byte, error) {
	out, extra, err := DecodePadded(f, dst, src, limit)
	if err == nil && extra > 0 {
		err = fault.Newf(fault.Corrupt, "%v: %d bytes after the end of the stream", f, extra)
	}
	return out, err
}

// DecodePadded is Decode for a source that may have zeros after the last gzip member, or any bytes
// after a zlib stream. It returns their number.
func DecodePadded(f Format, dst, src []byte, limit int) (out []byte, extra int, err error) {
	r := take()
	r.bytes = src
	r.src.Reset(src)
	defer r.giveBack()
	in, err := r.open(f)
	if err != nil {
		return dst, 0, fault.Newf(fault.Corrupt, "%v header: %v", f, err)
	}
	dst, err = r.all.Append(dst, in, limit, len(src))
	if err != nil {
		return dst, 0, fault.Newf(fault.Corrupt, "%v: %v", f, err)
	}
	return dst, r.src.Len(), nil
}

// members is an io.Reader of the content of all members of a gzip stream. It stops at the end of
// the source, or if the rest of the source is zeros.
type members struct{ r *reader }

func (m members) Read(p []byte) (int, error) {
	r := m.r
	for {
		n, err := r.gzip.Read(p)
		if err != io.EOF || r.atEnd() {
			return n, err
		}
		if err := r.member(); err != nil || n > 0 {
			return n, err
		}
	}
}

// member starts the next member.
func (r *reader) member() error {
	err := r.gzip.Reset(&r.src)
	r.gzip.Multistream(false)
	return stream.NoEOF(err)
}

// atEnd reports whether all members have been decoded: the rest of the source is empty or zeros.
func (r *reader) atEnd() bool {
	rest := r.bytes[len(r.bytes)-r.src.Len():]
	return len(rest) == 0 || rest[0] == 0 && len(bytes.TrimLeft(rest, "\x00")) == 0
}

func (r *reader) open(f Format) (io.Reader, error) {
	switch {
	case f == Gzip:
		return members{r}, r.member()
	case r.zlib != nil:
		return r.zlib, stream.NoEOF(r.zlib.(zlib.Resetter).Reset(&r.src, nil))
	}
	z, err := zlib.NewReader(&r.src)
	if err == nil {
		r.zlib = z
	}
	return z, stream.NoEOF(err)
}
