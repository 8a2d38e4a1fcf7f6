package codec

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"

	"github.com/zargo-io/zargo/zarr/fault"
)

// crc32c is the v3 core codec "crc32c" (RFC 3720): four little-endian bytes after the others. numcodecs can be told to
// put them before.
type crc32c struct {
	first bool
	table *crc32.Table
}

func newCRC32C(raw json.RawMessage, _ Repr) (any, error) {
	c := openConfig(raw)
	first := c.text("location", "end", "start", "end") == "start"
	if err := c.close(); err != nil {
		return nil, err
	}
	return crc32c{first, crc32.MakeTable(crc32.Castagnoli)}, nil
}

func (crc32c) EncodedSize(n int64) int64 { return addSat(n, 4) }
func (crc32c) MaxEncoded(n int64) int64  { return addSat(n, 4) }

func (c crc32c) Encode(dst, src []byte) ([]byte, error) {
	sum := crc32.Checksum(src, c.table)
	if c.first {
		return append(binary.LittleEndian.AppendUint32(dst, sum), src...), nil
	}
	return binary.LittleEndian.AppendUint32(append(dst, src...), sum), nil
}

func (c crc32c) DecodeView(src []byte) ([]byte, error) {
	n := len(src) - 4
	if n < 0 {
		return nil, fault.Newf(fault.Corrupt, "%d bytes, the checksum alone has 4", len(src))
	}
	data, sum := src[:n:n], src[n:]
	if c.first {
		data, sum = src[4:], src[:4]
	}
	want, got := binary.LittleEndian.Uint32(sum), crc32.Checksum(data, c.table)
	if want != got {
		return nil, fault.Newf(fault.Corrupt, "checksum of %d bytes is %08x, stored is %08x", n, got, want)
	}
	return data, nil
}

func (c crc32c) Decode(dst, src []byte, limit int) ([]byte, error) {
	b, err := c.DecodeView(src)
	if err != nil {
		return dst, err
	}
	if len(b) > limit {
		return dst, fault.Newf(fault.Corrupt, "%d bytes, at most %d are due", len(b), limit)
	}
	return append(dst, b...), nil
}
