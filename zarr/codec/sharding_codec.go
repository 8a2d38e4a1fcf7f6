package codec

import (
	"bytes"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

func (s *sharding) EncodedSize() int64 { return -1 }
func (s *sharding) Worst() int64       { return s.most }

// MinEncoded returns the length of the index. A shard without stored chunks consists only of the
// index.
func (s *sharding) MinEncoded() int64 { return s.size }

// Encode is EncodeFrom for memory in C order.
func (s *sharding) Encode(dst []byte, src Block) ([]byte, error) {
	return s.EncodeFrom(dst, Whole(src, s.in.Shape, s.in.Type.Size()), &Scratch{})
}

// EncodeFrom appends a shard. It omits inner chunks whose elements are all equal to the fill value.
func (s *sharding) EncodeFrom(dst []byte, src Strided, sc *Scratch) ([]byte, error) {
	chunk, inner := sc.block(2, s.inner.whole), sc.within()
	at := make([]int, len(s.grid))
	box := src
	box.Axes = make([]Step, len(src.Axes))
	start := len(dst)
	p := s.begin(dst)
	for i := range s.n {
		s.position(at, i)
		s.cut(&box, src, at)
		box.copyFrom(chunk, s.inner.whole)
		if s.inner.isFill(chunk) {
			continue
		}
		from := len(p.Bytes)
		var err error
		if p.Bytes, err = s.inner.Encode(p.Bytes, chunk, inner); err != nil {
			return dst[:start], err
		}
		p.mark(i, from)
	}
	out, err := p.End()
	if err != nil {
		return dst[:start], err
	}
	return out, nil
}

// scratch returns a Scratch for encoding or decoding the index.
func (s *sharding) scratch() *Scratch {
	if sc, ok := s.scratches.Get().(*Scratch); ok {
		return sc
	}
	return &Scratch{}
}

// Decode is DecodeTo for memory in C order.
func (s *sharding) Decode(dst Block, src []byte) error {
	return s.DecodeTo(Whole(dst, s.in.Shape, s.in.Type.Size()), src, &Scratch{})
}

// DecodeTo fills a box from a shard. It decodes only the inner chunks that the box overlaps.
func (s *sharding) DecodeTo(dst Strided, src []byte, sc *Scratch) error {
	x, err := s.indexOf(src)
	if err != nil {
		return err
	}
	box := dst
	box.Axes = make([]Step, len(dst.Axes))
	inner := sc.within()
	return s.touched(dst, func(coord []int) error {
		if !s.cut(&box, dst, coord) {
			return nil
		}
		stored, ok, err := s.stored(x, src, coord)
		switch {
		case err != nil:
			return err
		case !ok:
			box.fill(s.inner.in.Fill, s.inner.whole)
			return nil
		}
		if s.inner.whole.items {
			inner = &Scratch{} // items may be slices of memory of the previous Scratch
		}
		if err := s.inner.DecodeTo(box, stored, inner); err != nil {
			return fmt.Errorf("inner chunk %v: %w", coord, err)
		}
		return nil
	})
}

// stored returns the stored bytes of the inner chunk at coord. ok is false if the chunk is missing.
func (s *sharding) stored(x ShardIndex, shard []byte, coord []int) (b []byte, ok bool, err error) {
	i := 0
	for k, n := range s.grid {
		i = i*n + coord[k]
	}
	off, n, ok, err := x.At(i)
	switch {
	case err != nil || !ok:
		return nil, false, err
	case n > s.longest():
		return nil, false, fault.Newf(fault.Corrupt, "inner chunk %v has %d stored bytes, want at most %d", coord, n, s.longest())
	}
	return shard[off : off+n], true, nil
}

// touched calls do with the position of every inner chunk that the bounding box of box overlaps, in
// the order of the index. The slice coord is valid until do returns.
func (s *sharding) touched(box Strided, do func(coord []int) error) error {
	rank := len(s.grid)
	spans := make([]int, 3*rank)
	lo, hi, coord := spans[:rank], spans[rank:2*rank], spans[2*rank:]
	for k, a := range box.Axes {
		if a.N == 0 {
			return nil
		}
		first, last := a.Off, a.Off+(a.N-1)*a.Each
		lo[k], hi[k] = min(first, last)/s.chunk[k], max(first, last)/s.chunk[k]
	}
	copy(coord, lo)
	for {
		if err := do(coord); err != nil {
			return err
		}
		k := rank - 1
		for ; k >= 0 && coord[k] == hi[k]; k-- {
			coord[k] = lo[k]
		}
		if k < 0 {
			return nil
		}
		coord[k]++
	}
}

// cut sets part to the part of box that is in the inner chunk at coord. The offsets in part are
// relative to that chunk. cut returns false if the box does not overlap the chunk.
func (s *sharding) cut(part *Strided, box Strided, coord []int) bool {
	part.At = box.At
	for k, a := range box.Axes {
		start, end := coord[k]*s.chunk[k], (coord[k]+1)*s.chunk[k] // range of elements of the inner chunk
		first, last := 0, a.N-1                                    // range of steps within it
		switch {
		case a.N == 1:
			if a.Off < start || a.Off >= end {
				return false
			}
		case a.Each > 0:
			first = max(0, (start-a.Off+a.Each-1)/a.Each)
			last = min(last, floorDiv(end-1-a.Off, a.Each))
		default:
			first = max(0, (a.Off-end-a.Each)/-a.Each)
			last = min(last, floorDiv(a.Off-start, -a.Each))
		}
		if first > last {
			return false
		}
		part.Axes[k] = Step{N: last - first + 1, Off: a.Off + first*a.Each - start, Each: a.Each, Stride: a.Stride}
		part.At += first * a.Stride
	}
	return true
}

// floorDiv returns a/b rounded down, for positive b.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}

// longest returns the maximum stored length of an inner chunk. Inner chunks may share bytes.
// Without a limit, decoding each of them could cost as much as decoding the whole shard. There is
// no limit for nested shards that are read through their index, because they may have any amount of
// unused space.
func (s *sharding) longest() int64 {
	if s.inner.shards != nil {
		return math.MaxInt64
	}
	return s.inner.Worst()
}

// indexOf decodes the index of a whole shard.
func (s *sharding) indexOf(src []byte) (ShardIndex, error) {
	if int64(len(src)) < s.size {
		return ShardIndex{}, fault.Newf(fault.Corrupt, "the shard has %d bytes, fewer than the %d of its index", len(src), s.size)
	}
	raw := src[int64(len(src))-s.size:]
	if s.atStart {
		raw = src[:s.size]
	}
	return s.decodeIndex(raw, int64(len(src)))
}

func (s *sharding) decodeIndex(raw []byte, size int64) (ShardIndex, error) {
	x := ShardIndex{pairs: make([]byte, 16*s.n), size: size}
	sc := s.scratch()
	defer s.scratches.Put(sc)
	if err := s.index.Decode(Block{Bytes: x.pairs}, raw, sc); err != nil {
		return ShardIndex{}, fmt.Errorf("index of the shard: %w", err)
	}
	if s.report != nil {
		if text := s.overlap(x); text != "" {
			if err := s.report(rule.Finding{Rule: rule.ShardOverlap, Text: text}); err != nil {
				return ShardIndex{}, err
			}
		}
	}
	return x, nil
}

// position sets coord to the position of inner chunk i in the shard.
func (s *sharding) position(coord []int, i int) {
	for k := len(coord) - 1; k >= 0; k-- {
		coord[k], i = i%s.grid[k], i/s.grid[k]
	}
}

// coord returns the position of inner chunk i in the shard.
func (s *sharding) coord(i int) []int {
	coord := make([]int, len(s.grid))
	s.position(coord, i)
	return coord
}

func (s *sharding) decodeRoom() int64 {
	apart := Whole(Block{}, s.chunk, s.inner.whole.size)
	for i := range apart.Axes {
		apart.Axes[i].Stride *= 2
	}
	_, n := s.inner.Room(apart)
	return addSat(n, int64(16*s.n))
}

func (s *sharding) encodeRoom() int64 {
	n := s.inner.EncodeRoom(Whole(Block{}, s.chunk, s.inner.whole.size))
	return addSat(addSat(n, s.inner.whole.room()), int64(16*s.n))
}

// isFill reports whether every element of a chunk is equal to the fill value, bit for bit.
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
