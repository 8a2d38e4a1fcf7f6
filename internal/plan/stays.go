package plan

import (
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// Stays is the inner chunks to read from a stored shard that is written in part.
type Stays struct {
	Reads   Reads // of inner chunks in stored form
	Longest int64 // bytes of the longest read
	Total   int64 // bytes of all inner chunks that are read

	// By position in the index: 1 + the number in the Cut of an inner chunk that is read and
	// written, else 0 or less.
	changed []int32
}

// Changed returns the number in the Cut of an inner chunk that is read and written. Other inner
// chunks keep their stored form, or are written without being read.
func (s *Stays) Changed(place int) (i int, ok bool) {
	if s.changed == nil || s.changed[place] <= 0 {
		return 0, false
	}
	return int(s.changed[place]) - 1, true
}

// Stays returns the inner chunks to read from a version of the stored shard before the selected
// elements are written: all but those that the write decides alone. wanted is [Object.Inner].
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

// Without returns the reads of the stored inner chunks in a version of the stored shard, except
// those for which some, unless it is nil, returns true. Nested shards are read in their stored
// form. Requests have the cost c, or that of the plan if c is nil.
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
