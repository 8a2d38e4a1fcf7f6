package codec

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"sync"

	"github.com/pierrec/lz4/v4"

	"github.com/zargo-io/zargo/zarr/codec/internal/lz4fast"
	"github.com/zargo-io/zargo/zarr/fault"
)

// lz4Codec is numcodecs' lz4. It stores the decoded length in four little-endian bytes, and then
// one LZ4 block.
type lz4Codec struct{ compressor }

// lz4Tables holds the tables of idle encoders. They do not affect the output.
var lz4Tables = sync.Pool{New: func() any { return new(lz4fast.Encoder) }}

// maxLZ4 is the maximum input length of LZ4 and numcodecs.
const maxLZ4 = 0x7e000000

// newLZ4 accepts any acceleration, as numcodecs does, but ignores it.
func newLZ4(raw json.RawMessage, _ Repr) (any, error) {
	c := openConfig(raw)
	c.encoder(func() { c.integer("acceleration", 1, math.MinInt32, math.MaxInt32) })
	if err := c.close(); err != nil {
		return nil, err
	}
	return lz4Codec{compressor: compressor{c.settings(), densestLZ4}}, nil
}

func (c lz4Codec) Encode(dst, src []byte) ([]byte, error) {
	if len(src) > maxLZ4 {
		return dst, fault.Newf(fault.Limit, "lz4 input must have at most %d bytes, has %d", maxLZ4, len(src))
	}
	start := len(dst) + 4
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(src)))
	if len(src) == 0 {
		return append(dst, 0), nil // a block without literals
	}
	out, room := extend(dst, lz4.CompressBlockBound(len(src)))
	t := lz4Tables.Get().(*lz4fast.Encoder)
	defer lz4Tables.Put(t)
	return out[:start+t.Encode(room, src, 1)], nil
}

func (c lz4Codec) Decode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 4 {
		return dst, fault.Newf(fault.Corrupt, "lz4 data must have at least the 4 bytes of the length, has %d", len(src))
	}
	size, block := int64(binary.LittleEndian.Uint32(src)), src[4:]
	switch {
	case size > int64(limit):
		return dst, fault.Newf(fault.Corrupt, "lz4 declares %d decoded bytes, want at most %d", size, limit)
	case size > 255*int64(len(block)):
		return dst, fault.Newf(fault.Corrupt, "lz4 declares %d decoded bytes, too many for a block of %d bytes", size, len(block))
	case size == 0 && (len(block) != 1 || block[0] != 0):
		return dst, fault.Newf(fault.Corrupt, "lz4 declares 0 decoded bytes, but has a block of %d bytes", len(block))
	case size == 0:
		return dst, nil
	}
	out, room := extend(dst, int(size))
	n, err := lz4.UncompressBlock(block, room[:size:size])
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "lz4 block of %d bytes: %v", len(block), err)
	}
	if n != int(size) {
		return dst, fault.Newf(fault.Corrupt, "lz4 block of %d bytes decodes to %d bytes, want %d", len(block), n, size)
	}
	return out, nil
}
