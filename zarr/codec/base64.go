package codec

import (
	"encoding/base64"
	"encoding/json"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// base64Codec is numcodecs' base64: the standard alphabet with padding (RFC 4648, section 4).
// Python's decoder ignores bytes outside the alphabet and after the padding. This decoder reports
// them as corrupt.
type base64Codec struct{}

func newBase64(raw json.RawMessage, _ Repr) (any, error) {
	return base64Codec{}, openConfig(raw).close()
}

func (base64Codec) EncodedSize(n int64) int64 {
	if n > math.MaxInt64/4*3-2 {
		return math.MaxInt64
	}
	return (n + 2) / 3 * 4
}

func (c base64Codec) Worst(n int64) int64 { return c.EncodedSize(n) }

func (base64Codec) Encode(dst, src []byte) ([]byte, error) {
	return base64.StdEncoding.AppendEncode(dst, src), nil
}

func (base64Codec) Decode(dst, src []byte, limit int) ([]byte, error) {
	size := len(src) / 4 * 3 // before padding is subtracted
	for i := len(src) - 1; i >= 0 && i >= len(src)-2 && src[i] == '='; i-- {
		size--
	}
	if len(src)%4 != 0 || size < 0 {
		return dst, fault.Newf(fault.Corrupt, "length of base64 must be a multiple of 4, is %d", len(src))
	}
	if size > limit {
		return dst, fault.Newf(fault.Corrupt, "base64 decodes to %d bytes, want at most %d", size, limit)
	}
	out, room := extend(dst, size)
	n, err := base64.StdEncoding.Decode(room[:size:size], src)
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "base64 of %d bytes: %v", len(src), err)
	}
	if n != size {
		return dst, fault.Newf(fault.Corrupt, "base64 of %d bytes decodes to %d bytes, want %d", len(src), n, size)
	}
	return out, nil
}
