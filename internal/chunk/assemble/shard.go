package assemble

import (
	"context"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Shard is a shard that is built in memory. New inner chunks are added in the order of the index.
// All other inner chunks are copied from the stored shard.
type Shard struct {
	hold   *concurrency.Hold
	inner  *pipeline.Chunk
	old    []byte           // nil without an old shard
	index  codec.ShardIndex // index of old
	made   codec.Packing
	next   int // position up to which the shard is built
	most   int // maximum bytes of the shard
	likely int // a number of bytes that the shard rarely exceeds
}

// longest bounds the memory that is allocated before inner chunks are added.
const longest = 64 << 20

// NewShard returns a Shard that keeps inner chunks of the stored shard old. old is nil if no inner
// chunk is kept. likely is the expected length of the new shard, which it rarely exceeds. hold has
// reserved the memory of the new shard. NewShard returns fault.Corrupt if the index of the old
// shard is damaged.
func NewShard(c *pipeline.Chunk, hold *concurrency.Hold, old []byte, likely int64) (s Shard, err error) {
	s = Shard{hold: hold, inner: c.Inner, old: old, likely: int(min(likely, math.MaxInt/2))}
	if old != nil {
		if s.index, err = c.Shards.IndexOf(old); err != nil {
			return s, err
		}
	}
	s.most = int(min(plan.Packed(c), math.MaxInt/2)) + len(old)
	s.made = c.Shards.Pack(hold.Buffer(min(s.likely, longest)))
	return s, nil
}

// Old returns the stored bytes of an inner chunk of the old shard, or nil if that inner chunk is
// missing.
func (s *Shard) Old(place int) ([]byte, error) {
	if s.old == nil {
		return nil, nil
	}
	off, n, ok, err := s.index.At(place)
	if err != nil || !ok {
		return nil, err
	}
	// A nested shard may have unused space of any length; carry bounds the result.
	if most := s.inner.Chain.Worst(); n > most && s.inner.Shards == nil {
		return nil, fault.Newf(fault.Corrupt, "index of the shard: inner chunk %d has %d stored bytes, want at most %d", place, n, most)
	}
	return s.old[off : off+n], nil
}

// Add copies the inner chunks of the old shard that precede place, and then appends stored, the
// bytes of the inner chunk at place. If stored is empty, the inner chunk is missing.
func (s *Shard) Add(ctx context.Context, place int, stored []byte) error {
	if err := s.carry(ctx, place); err != nil {
		return err
	}
	s.add(place, stored)
	s.next = place + 1
	return nil
}

// carry appends the inner chunks of the old shard that precede place.
func (s *Shard) carry(ctx context.Context, place int) error {
	if s.old == nil {
		return nil
	}
	for ; s.next < place; s.next++ {
		if s.next%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b, err := s.Old(s.next)
		if err != nil {
			return fmt.Errorf("copying inner chunks of the old shard: %w", err)
		}
		// Without shared bytes, the inner chunks together are not longer than the old shard. Bytes
		// that several inner chunks share would be written several times.
		if len(s.made.Bytes)+len(b) > s.most {
			return fault.Newf(fault.Limit, "the new shard has more than %d bytes, because the index of the old shard has overlapping inner chunks", s.most)
		}
		s.add(s.next, b)
	}
	return nil
}

// add appends an inner chunk. If the buffer is too short, add allocates a longer one.
func (s *Shard) add(place int, stored []byte) {
	dst := s.made.Bytes
	if n := len(dst) + len(stored); n > cap(dst) && cap(dst) > 0 {
		s.hold.Adopt(dst)
		s.made.Bytes = append(s.hold.Buffer(max(n, min(2*cap(dst), s.likely))), dst...)
		s.hold.Put(dst)
	}
	s.made.Add(place, stored)
}

// End appends the remaining inner chunks of the old shard, and the index. empty reports that the
// shard contains no stored inner chunks.
func (s *Shard) End(ctx context.Context) (b []byte, empty bool, err error) {
	if err := s.carry(ctx, s.index.Len()); err != nil {
		return nil, false, err
	}
	b, err = s.made.End()
	return b, s.made.Stored == 0, err
}
