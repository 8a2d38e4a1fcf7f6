package plan

import (
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// Stays contains the inner chunks to read from a stored shard when a part of the shard is written.
type Stays struct {
	Reads   Reads // reads of inner chunks in stored form
	Longest int64 // bytes of the longest read
	Total   int64 // bytes of all inner chunks that are read

	// changed has one element for each index entry. For an inner chunk that is read and written,
	// the element is 1 + the number of the inner chunk in the Cut. Other elements are 0 or
	// negative.
	changed []int32
}

// Changed returns the number in the Cut of an inner chunk that is read and written. The argument
// place is the number of its index entry. ok is false for an inner chunk that keeps its stored form
// or is written without being read.
func (s *Stays) Changed(place int) (i int, ok bool) {
	if s.changed == nil || s.changed[place] <= 0 {
		return 0, false
	}
	return int(s.changed[place]) - 1, true
}

// Stays returns the inner chunks to read from version v of the stored shard before the selected
// elements are written. Inner chunks that the write replaces without reading them are omitted.
// wanted must be the result of [Object.Inner].
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

// Without returns the reads of the stored inner chunks of version v of the stored shard. It omits
// an inner chunk if skip returns true. A nil skip omits none. Nested shards are read in their
// stored form. c is the cost of requests. If c is nil, the cost is that of the plan.
func (o *Object) Without(x codec.ShardIndex, v store.Version, c *Cost, skip func(Piece) bool) (s Stays, err error) {
	top := o.Stored()
	if c != nil {
		top.cost = c
	}
	stage, err := top.ExpandWithout(v, []codec.ShardIndex{x}, skip)
	for rd := range stage.Reads.All() {
		s.Longest = max(s.Longest, rd.Bound)
		for _, p := range rd.Pieces {
			s.Total = Sum(s.Total, p.Len)
		}
	}
	s.Reads = stage.Reads
	return s, err
}
