package bzip2

import (
	"bytes"
	"compress/bzip2"

	"github.com/zargo-io/zargo/zarr/codec/internal/stream"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Decode appends what all streams in src hold to dst. More than limit bytes, and anything in src
// that is no stream, are fault.Corrupt. Where dst has room for the output nothing is allocated for
// that; bytes beyond its capacity are not touched.
func Decode(dst, src []byte, limit int) ([]byte, error) {
	var a stream.Appender
	out, err := a.Append(dst, bzip2.NewReader(bytes.NewReader(src)), limit, len(src))
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "bzip2: %v", err)
	}
	if len(src) == 0 {
		return dst, fault.Newf(fault.Corrupt, "bzip2: no bytes")
	}
	return out, nil
}
