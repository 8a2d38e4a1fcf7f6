package http

import (
	"errors"
	"io"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxUntold is the maximum length of a value if the server does not announce a length and the
// caller sets no limit.
const maxUntold = 1 << 30

// readAll reads a body without a Content-Length, whose end the protocol marks. The value may have
// at most "most" bytes, or maxUntold if "most" is 0.
func (a answer) readAll(r io.Reader, key string, most int64, buf []byte) (store.Value, error) {
	if most <= 0 {
		most = maxUntold
	}
	held := len(buf)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		got := int64(len(buf) - held)
		switch {
		case got > most:
			return store.Value{}, fault.Newf(fault.Limit, "the value has more than %d bytes", most)
		case errors.Is(err, io.EOF) && got == 0 && isMetadata(key):
			return store.Value{}, foreign("it is an empty metadata document")
		case errors.Is(err, io.EOF):
			return store.Value{Bytes: buf, Size: got, Version: a.version}, nil
		case err != nil:
			return store.Value{}, fault.Newf(fault.Unavailable, "the body ended early: %w", err)
		}
	}
}
