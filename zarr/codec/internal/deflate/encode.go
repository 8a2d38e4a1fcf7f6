package deflate

import (
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// Encoder encodes streams. It is immutable and safe for concurrent use.
type Encoder struct {
	format Format
	level  int
	pool   *sync.Pool // of *writer
}

// writers holds idle writers by format and level. All arrays of the process share these writers,
// because one writer takes up to 1.2 MB.
var writers [Zlib + 1][10]sync.Pool

// NewEncoder returns an encoder for a level from 0 (stored) to 9, or -1 for the default level.
func NewEncoder(f Format, level int) *Encoder {
	e := &Encoder{format: f, level: scale(level), pool: new(sync.Pool)}
	if e.level < len(writers[f]) { // Encode fails for other levels
		e.pool = &writers[f][e.level]
	}
	return e
}

// scale maps a level of zlib to one of the library's levels stored, 7, 8 and 9. The library's
// levels below 7 are several times as fast as zlib, but for noisy numbers their output is 10 %
// longer than with zlib's level 1. The library's level 7 takes about as long as zlib's level 3, and
// its output is at most 5 % longer than with zlib's levels up to 6.
func scale(level int) int {
	if level == 0 {
		return 0
	}
	return max(level, 7)
}

// writer is the state of one encoding.
type writer struct {
	out []byte
	z   interface {
		io.WriteCloser
		Reset(io.Writer)
	}
}

func (w *writer) Write(p []byte) (int, error) {
	w.out = append(w.out, p...)
	return len(p), nil
}

// Encode appends one stream with the content src. The output depends only on src, the format and
// the level, because the gzip header is written without a time.
func (e *Encoder) Encode(dst, src []byte) ([]byte, error) {
	w, ok := e.pool.Get().(*writer)
	if !ok {
		w = &writer{}
		if err := w.open(e.format, e.level); err != nil {
			return dst, err
		}
	}
	w.out = dst
	w.z.Reset(w)
	_, err := w.z.Write(src)
	if err == nil {
		err = w.z.Close()
	}
	out := w.out
	w.out = nil
	e.pool.Put(w)
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (w *writer) open(f Format, level int) (err error) {
	if f == Gzip {
		w.z, err = gzip.NewWriterLevel(w, level)
	} else {
		w.z, err = zlib.NewWriterLevel(w, level)
	}
	return err
}
