package plan

import (
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// Stays has the inner chunks to read from a stored shard that is partly written.
type Stays struct {
	Reads   Reads // reads of inner chunks in stored form
	Longest int64 // bytes of the longest read
	Total   int64 // bytes of all inner chunks that are read

	// changed has, by position in the index, 1 + the number in the Cut of an inner chunk that is
	// read and written. For other inner chunks it is 0 or less.
	changed []int32
}

// Changed returns the number in the Cut of an inner chunk that is read and written. ok is false for
// inner chunks that keep their stored form or are written without being read.
func (s *Stays) Changed(place int) (i int, ok bool) {
	if s.changed == nil || s.changed[place] <= 0 {
		return 0, false
	}
	return int(s.changed[place]) - 1, true
}

// Stays returns the inner chunks to read from version v of the stored shard before the selected
// elements are written. It omits those that the write replaces without reading them. wanted is
// [Object.Inner].
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

// Without returns the reads of the stored inner chunks of version v of the stored shard, except
// those for which some returns true, if some is not nil. Nested shards are read in their stored
// form. The requests have the cost c, or that of the plan if c is nil.
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
