package codec

import (
	"bytes"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// shardScratch is what coding one shard as a whole needs: room for an inner chunk, and its codecs' own. Inner chunks of
// one shard are coded one after another.
type shardScratch struct {
	codec, index Scratch
	chunk        Block
}

func (s *sharding) scratch() *shardScratch {
	sc := s.pool.Get().(*shardScratch)
	if st := s.inner.whole; st.items {
		sc.chunk = Block{Items: make([][]byte, st.elems)}
	} else if len(sc.chunk.Bytes) != st.bytes {
		sc.chunk = Block{Bytes: make([]byte, st.bytes)}
	}
	return sc
}

func (s *sharding) done(sc *shardScratch) {
	if len(sc.chunk.Bytes) <= maxKept {
		sc.chunk.Items = nil // they may lie in others' bytes
		s.pool.Put(sc)
	}
}

func (s *sharding) EncodedSize() int64 { return -1 }
func (s *sharding) Worst() int64       { return s.most }

// MinEncoded is that of the index.
func (s *sharding) MinEncoded() int64 { return s.size }

// Encode appends a shard: inner chunks that are all fill value are left out.
func (s *sharding) Encode(dst []byte, src Block) ([]byte, error) {
	sc := s.scratch()
	defer s.done(sc)
	start := len(dst)
	out, _, err := s.pack(dst, sc, func(dst []byte, i int) ([]byte, error) {
		s.gather(sc.chunk, src, i)
		if s.inner.isFill(sc.chunk) {
			return dst, nil
		}
		return s.inner.Encode(dst, sc.chunk, &sc.codec)
	})
	if err != nil {
		return dst[:start], err
	}
	return out, nil
}

// pack appends a shard whose inner chunk i, by its place in the index, is what piece appends; one of no bytes is missing.
// stored is the number of the others.
func (s *sharding) pack(dst []byte, sc *shardScratch, piece func(dst []byte, i int) ([]byte, error)) (_ []byte, stored int, err error) {
	start := len(dst)
	if s.atStart {
		dst = append(dst, make([]byte, s.size)...)
	}
	x := newShardIndex(s.n)
	for i := range s.n {
		from := len(dst)
		if dst, err = piece(dst, i); err != nil {
			return dst, stored, err
		}
		if len(dst) > from {
			x.set(i, from-start, len(dst)-from)
			stored++
		}
	}
	if !s.atStart {
		dst, err = s.index.Encode(dst, Block{Bytes: x.pairs}, &sc.index)
		return dst, stored, err
	}
	ix, err := s.index.Encode(nil, Block{Bytes: x.pairs}, &sc.index)
	copy(dst[start:], ix)
	return dst, stored, err
}

// Decode fills dst from a shard.
func (s *sharding) Decode(dst Block, src []byte) error {
	sc := s.scratch()
	defer s.done(sc)
	x, err := s.indexOf(src, &sc.index)
	if err != nil {
		return err
	}
	for i := range s.n {
		off, n, ok, err := x.At(i)
		if err != nil {
			return err
		}
		if !ok {
			s.inner.fill(sc.chunk)
			s.scatter(dst, sc.chunk, i)
			continue
		}
		if n > s.longest() {
			return fault.Newf(fault.Corrupt, "inner chunk %v has %d bytes, its codecs make at most %d", s.coord(i), n, s.longest())
		}
		if sc.chunk.Items != nil {
			sc.codec = Scratch{} // items may lie in it
		}
		if err := s.inner.Decode(sc.chunk, src[off:off+n], &sc.codec); err != nil {
			return fmt.Errorf("inner chunk %v: %w", s.coord(i), err)
		}
		s.scatter(dst, sc.chunk, i)
	}
	return nil
}

// longest bounds the bytes of an inner chunk. Inner chunks may share their bytes, so that without a bound each could cost as
// much as all of the shard. An inner shard that is read by its index may have unused space of any length.
func (s *sharding) longest() int64 {
	if s.inner.shards != nil {
		return math.MaxInt64
	}
	return s.inner.Worst()
}

// indexOf reads the index of a whole shard.
func (s *sharding) indexOf(src []byte, sc *Scratch) (ShardIndex, error) {
	if int64(len(src)) < s.size {
		return ShardIndex{}, fault.Newf(fault.Corrupt, "the shard has %d bytes, its index alone %d", len(src), s.size)
	}
	raw := src[int64(len(src))-s.size:]
	if s.atStart {
		raw = src[:s.size]
	}
	return s.decodeIndex(raw, int64(len(src)), sc)
}

func (s *sharding) decodeIndex(raw []byte, size int64, sc *Scratch) (ShardIndex, error) {
	x := ShardIndex{pairs: make([]byte, 16*s.n), size: size}
	if err := s.index.Decode(Block{Bytes: x.pairs}, raw, sc); err != nil {
		return ShardIndex{}, fmt.Errorf("index of the shard: %w", err)
	}
	if s.judge != nil {
		if text := s.overlap(x); text != "" {
			if err := s.judge(rule.Finding{Rule: rule.ShardOverlap, Text: text}); err != nil {
				return ShardIndex{}, err
			}
		}
	}
	return x, nil
}

// coord is the position of inner chunk i in the shard.
func (s *sharding) coord(i int) []int {
	at := make([]int, len(s.grid))
	for k := len(at) - 1; k >= 0; k-- {
		at[k], i = i%s.grid[k], i/s.grid[k]
	}
	return at
}

// offset is the number of the shard's element with which inner chunk i begins.
func (s *sharding) offset(i int) int {
	off := 0
	for k := len(s.grid) - 1; k >= 0; k-- {
		off += i % s.grid[k] * s.strides[k]
		i /= s.grid[k]
	}
	return off
}

// box is inner chunk i of a whole shard.
func (s *sharding) box(shard Block, i int) Strided {
	st := s.inner.whole
	return Strided{Block: st.block(shard), Size: st.size, At: s.offset(i) * st.size, Axes: s.rows}
}

// gather takes inner chunk i out of the shard.
func (s *sharding) gather(chunk, shard Block, i int) { s.box(shard, i).copyFrom(chunk, s.inner.whole) }

// scatter puts inner chunk i into the shard.
func (s *sharding) scatter(shard, chunk Block, i int) { s.box(shard, i).copyTo(chunk, s.inner.whole) }

// fill sets a chunk to its fill value, or to zero where that is undefined.
func (c *Chain) fill(b Block) {
	for i := range b.Items {
		b.Items[i] = c.in.Fill
	}
	if c.in.Fill == nil {
		clear(b.Bytes)
	} else if len(b.Bytes) > 0 {
		grid.Fill(b.Bytes, c.in.Fill)
	}
}

// isFill tells whether every element of a chunk is, bit for bit, the fill value.
func (c *Chain) isFill(b Block) bool {
	if c.in.Fill == nil {
		return false
	}
	for _, item := range b.Items {
		if !bytes.Equal(item, c.in.Fill) {
			return false
		}
	}
	return grid.IsFill(b.Bytes, c.in.Fill)
}
