package codec

import "slices"

// Shards describes how the chunks of a chain, the shards, are divided into inner chunks that can be
// read individually. It is immutable.
type Shards struct {
	// Chunk is the shape of an inner chunk. Grid is the number of inner chunks along each axis.
	// Both have the axes of the array that enters the chain.
	Chunk, Grid []int
	// Inner is the chain of an inner chunk. It begins with the array-to-array codecs before
	// sharding.
	Inner *Chain

	codec *sharding
	order []int // axis of the array for each axis of the sharded array
}

// Shards describes how parts of stored chunks can be read. It returns nil if chunks can only be
// read whole: without sharding, with bytes-to-bytes codecs after sharding, or with array-to-array
// codecs other than transpose and [Field] before sharding.
func (c *Chain) Shards() *Shards { return c.shards }

// shardsOf returns the Shards of c, which was made from table t.
func (t *Table) shardsOf(c *Chain) (*Shards, error) {
	codec, ok := c.array.(*sharding)
	if !ok || len(c.bytes) > 0 {
		return nil, nil
	}
	rank := len(c.in.Shape)
	s := &Shards{codec: codec, order: make([]int, rank)}
	for i := range s.order {
		s.order[i] = i
	}
	s.Chunk, s.Grid = slices.Clone(c.in.Shape), slices.Repeat([]int{1}, rank)
	for _, a := range c.arrays {
		switch t := a.codec.(type) {
		case *transpose:
			s.order = pick(s.order, t.order)
		case *fieldOf: // the axes within the field are not divided
			s.order = s.order[:len(t.out.Shape)]
		default:
			return nil, nil
		}
	}
	for i, a := range s.order {
		s.Chunk[a], s.Grid[a] = codec.chunk[i], codec.grid[i]
	}
	if len(c.arrays) == 0 {
		s.Inner = codec.inner
		return s, nil
	}
	in := c.in
	in.Shape = s.Chunk
	var err error
	s.Inner, err = t.Chain(slices.Concat(c.specs[:len(c.arrays)], codec.inner.specs), in)
	return s, err
}

// Position returns the index position of the inner chunk at the coordinates coord of the Grid.
func (s *Shards) Position(coord []int) int {
	i := 0
	for k, a := range s.order {
		i = i*s.codec.grid[k] + coord[a]
	}
	return i
}

// Len returns the number of inner chunks of a shard.
func (s *Shards) Len() int { return s.codec.n }

// IndexSize returns the length in bytes of a stored index and whether it is at the start of the
// shard.
func (s *Shards) IndexSize() (n int64, atStart bool) { return s.codec.size, s.codec.atStart }

// IndexBytes returns the size in memory of the largest index of a shard. Nested shards and shards
// that can only be read whole are included. Without sharding, IndexBytes returns 0.
func (c *Chain) IndexBytes() int64 {
	s, ok := c.array.(*sharding)
	if !ok {
		return 0
	}
	return max(mulSat(16, int64(s.n)), s.inner.IndexBytes())
}

// Index decodes the stored index of a shard of size bytes. It returns fault.Corrupt if stored is
// not a valid index.
func (s *Shards) Index(stored []byte, size int64) (ShardIndex, error) {
	return s.codec.decodeIndex(stored, size)
}

// IndexOf decodes the index of a whole stored shard.
func (s *Shards) IndexOf(stored []byte) (ShardIndex, error) { return s.codec.indexOf(stored) }
