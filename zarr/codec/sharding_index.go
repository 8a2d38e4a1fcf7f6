package codec

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ShardIndex holds the locations of the inner chunks of one shard. It is immutable.
type ShardIndex struct {
	pairs []byte // offset and length of each inner chunk, uint64 in memory form
	size  int64  // of the shard
}

// empty is the offset and the length in the index entry of a missing inner chunk.
const empty = math.MaxUint64

// newShardIndex returns an index of n missing inner chunks.
func newShardIndex(n int) ShardIndex {
	return ShardIndex{pairs: bytes.Repeat([]byte{0xff}, 16*n)}
}

func (x ShardIndex) set(i int, off, n int64) {
	binary.LittleEndian.PutUint64(x.pairs[16*i:], uint64(off))
	binary.LittleEndian.PutUint64(x.pairs[16*i+8:], uint64(n))
}

// Len returns the number of inner chunks.
func (x ShardIndex) Len() int { return len(x.pairs) / 16 }

// Bytes returns the size of the index in memory.
func (x ShardIndex) Bytes() int { return len(x.pairs) }

// Size returns the size of the shard in bytes.
func (x ShardIndex) Size() int64 { return x.size }

// At returns the offset and length in bytes of inner chunk i in its shard. ok is false if the chunk
// is missing. At returns fault.Corrupt if the chunk is not within the shard. It does not compare
// inner chunks with each other: they may be in any order, have gaps between them, share bytes or
// overlap.
func (x ShardIndex) At(i int) (off, n int64, ok bool, err error) {
	o, l := binary.LittleEndian.Uint64(x.pairs[16*i:]), binary.LittleEndian.Uint64(x.pairs[16*i+8:])
	size := uint64(x.size)
	switch {
	case o == empty && l == empty:
		return 0, 0, false, nil
	case o > size || l > size-o || l == 0:
		return 0, 0, false, fault.Newf(fault.Corrupt, "index of the shard: inner chunk %d has %d bytes at offset %d, which is invalid in a shard of %d bytes", i, l, o, x.size)
	}
	return int64(o), int64(l), true, nil
}
