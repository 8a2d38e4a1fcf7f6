package codec

import "slices"

// Shards says how the stored bytes of a chain's chunks, the shards, fall into inner chunks that can
// be read without the others. It is immutable.
type Shards struct {
	// Chunk is the shape of an inner chunk and Grid their number, along each axis of the array that
	// enters the chain.
	Chunk, Grid []int
	// Inner takes such an inner chunk to its stored bytes and back. What the chain does with axes
	// before it shards is in it.
	Inner *Chain

	codec *sharding
	order []int // axis of the array that is axis i of the shard when it is cut
}

// Shards says how to read parts of what the chain stores; nil when they can only be read as a
// whole: there is no sharding, or bytes are transformed after it, or the array before it by
// something else than transpose.
func (c *Chain) Shards() *Shards { return c.shards }

// shardsOf finds out. specs are the chain's own; t is the table they are from.
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
		case *fieldOf: // the axes of the field itself are not cut
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

// Position is the position in the index of the inner chunk at the coordinates coord of the Grid.
func (s *Shards) Position(coord []int) int {
	i := 0
	for k, a := range s.order {
		i = i*s.codec.grid[k] + coord[a]
	}
	return i
}

// Len is the number of inner chunks of a shard.
func (s *Shards) Len() int { return s.codec.n }

// IndexSize is the length in bytes of a stored index; atStart says where in the shard it is.
func (s *Shards) IndexSize() (n int64, atStart bool) { return s.codec.size, s.codec.atStart }

// IndexBytes is the memory in bytes of the largest index that shards of a chain need, whether they
// can be read in parts or not; 0 where there are none.
func (c *Chain) IndexBytes() int64 {
	s, ok := c.array.(*sharding)
	if !ok {
		return 0
	}
	return max(mulSat(16, int64(s.n)), s.inner.IndexBytes())
}

// Index reads the stored index of a shard that has size bytes. fault.Corrupt when it does not
// decode.
func (s *Shards) Index(stored []byte, size int64) (ShardIndex, error) {
	return s.codec.decodeIndex(stored, size)
}

// IndexOf reads the index of a whole stored shard.
func (s *Shards) IndexOf(stored []byte) (ShardIndex, error) { return s.codec.indexOf(stored) }
