package bzip2

import (
	"bytes"
	"compress/bzip2"

	"github.com/zargo-io/zargo/zarr/codec/internal/stream"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Decode appends the content of all streams in src to dst. It returns fault.Corrupt if the content
// exceeds limit bytes or if src has bytes that are not a stream. If dst has enough capacity, no
// memory is allocated for the output. Bytes beyond dst's capacity are not modified.
func Decode(dst, src []byte, limit int) ([]byte, error) {
	var a stream.Appender
	out, err := a.Append(dst, bzip2.NewReader(bytes.NewReader(src)), limit, len(src))
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "bzip2: %v", err)
	}
	if len(src) == 0 {
		return dst, fault.Newf(fault.Corrupt, "bzip2: input is empty")
	}
	return out, nil
}
