package plan

import (
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// Stays is what stays of a stored shard of which a part is written.
type Stays struct {
	Reads   Reads // of its inner chunks, as they are stored
	Longest int64 // bytes of the longest read
	Total   int64 // bytes of all inner chunks that are read

	changed []int32 // by place in the index: 1 + the number in the Cut of an inner chunk that is read and written, else 0 or less
}

// Changed returns the number in the Cut of an inner chunk that is read, and written again. Other
// inner chunks stay as they are stored, or are written without being read.
func (s *Stays) Changed(place int) (i int, ok bool) {
	if s.changed == nil || s.changed[place] <= 0 {
		return 0, false
	}
	return int(s.changed[place]) - 1, true
}

// Stays says what to read of a version of the stored shard before what is selected is written: all
// inner chunks but those that the write decides alone. wanted is [Object.Inner].
func (o *Object) Stays(x codec.ShardIndex, v store.Version, wanted *Cut, c Cost) (Stays, error) {
	blocks, decided := grid.Even(o.Chunk.Shards.Chunk), o.Decided()
	changed := make([]int32, x.Len())
	for i := range wanted.Len() {
		place := wanted.Place(i)
		if changed[place] = int32(i) + 1; !o.plan.Write.Merge && wanted.Box(i).Covers(decided, blocks) {
			changed[place] = -1
		}
	}
	there := make([]bool, x.Len())
	s, err := o.Without(x, v, &c, func(p Piece) bool {
		place := p.Place()
		there[place] = true
		return changed[place] < 0
	})
	for place := range changed {
		if !there[place] {
			changed[place] = 0
		}
	}
	s.changed = changed
	return s, err
}

// Without says what to read of a version of the stored shard: all inner chunks that it stores, but
// some; nil: all. Shards within are read as they are stored. Requests have the cost c; nil: that of
// the plan.
func (o *Object) Without(x codec.ShardIndex, v store.Version, c *Cost, some func(Piece) bool) (s Stays, err error) {
	top := o.Stored()
	if c != nil {
		top.cost = c
	}
	stage, err := top.ExpandWithout(v, []codec.ShardIndex{x}, some)
	for rd := range stage.Reads.All() {
		s.Longest = max(s.Longest, rd.Bound)
		for _, p := range rd.Pieces {
			s.Total = Sum(s.Total, p.Len)
		}
	}
	s.Reads = stage.Reads
	return s, err
}
