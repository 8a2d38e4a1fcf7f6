package codec

// Locations are what the index of a shard is made of while its inner chunks are stored, in any
// order. All are missing at first.
type Locations struct {
	Stored int // inner chunks that are not missing

	of    *sharding
	index ShardIndex
}

// Locations begins the index of a shard whose bytes are kept elsewhere; see [Shards.Pack] for one
// that is made in memory.
func (s *Shards) Locations() *Locations {
	return &Locations{of: s.codec, index: newShardIndex(s.codec.n)}
}

// Has reports whether the inner chunk at a position of the index is not missing.
func (l *Locations) Has(position int) bool {
	_, _, ok, err := ShardIndex{l.index.pairs, 1<<63 - 1}.At(position)
	return ok || err != nil
}

// Set says that the inner chunk at a position of the index is the n bytes at off in the shard, n >
// 0, where it was missing.
func (l *Locations) Set(position int, off, n int64) {
	l.index.set(position, off, n)
	l.Stored++
}

// Encode appends the stored index, of [Shards.IndexSize] bytes.
func (l *Locations) Encode(dst []byte) ([]byte, error) {
	sc := l.of.scratch()
	defer l.of.scratches.Put(sc)
	return l.of.index.Encode(dst, Block{Bytes: l.index.pairs}, sc)
}
