package http

import (
	"errors"
	"io"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// believed is how many bytes are allocated on the word of a server alone. 64 MiB: more than any chunk that reads well.
	believed = 64 << 20
	// maxUntold bounds a value whose length is not announced and that the caller has not bounded.
	maxUntold = 1 << 30
)

// readN appends exactly n bytes of r to buf. On error the result is buf with what did arrive.
func readN(buf []byte, r io.Reader, n int64, bounded bool) ([]byte, error) {
	if n > int64(math.MaxInt-len(buf)) {
		return buf, fault.Newf(fault.Limit, "a value of %d bytes does not fit in memory", n)
	}
	for left := int(n); left > 0; {
		step := left
		if !bounded && cap(buf)-len(buf) < left {
			step = min(left, max(believed, len(buf)))
		}
		if cap(buf)-len(buf) < step {
			buf = append(make([]byte, 0, len(buf)+step), buf...)
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

// readAll reads a body whose end the protocol marks.
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
			return store.Value{}, fault.Newf(fault.Limit, "the value has more than the %d bytes allowed", most)
		case errors.Is(err, io.EOF) && got == 0 && isMetadata(key):
			return store.Value{}, foreign("an empty metadata document")
		case errors.Is(err, io.EOF):
			return store.Value{Bytes: buf, Size: got, Version: a.version}, nil
		case err != nil:
			return store.Value{}, fault.Newf(fault.Unavailable, "the body ended early: %w", err)
		}
	}
}
