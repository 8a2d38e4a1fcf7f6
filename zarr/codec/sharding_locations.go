package codec

// Locations is the index of a shard whose inner chunks are stored in any order. Initially all inner
// chunks are missing.
type Locations struct {
	Stored int // number of inner chunks that are not missing

	of    *sharding
	index ShardIndex
}

// Locations returns an empty Locations for a shard whose bytes are stored elsewhere. See
// [Shards.Pack] for a shard in memory.
func (s *Shards) Locations() *Locations {
	return &Locations{of: s.codec, index: newShardIndex(s.codec.n)}
}

// Has reports whether Set has recorded the inner chunk at a position of the index.
func (l *Locations) Has(position int) bool {
	_, _, ok, err := ShardIndex{l.index.pairs, 1<<63 - 1}.At(position)
	return ok || err != nil
}

// Set records the n bytes at offset off of the shard as the inner chunk at a position of the index.
// n must be positive, and the chunk must not have been recorded before.
func (l *Locations) Set(position int, off, n int64) {
	l.index.set(position, off, n)
	l.Stored++
}

// Encode appends the encoded index, which has [Shards.IndexSize] bytes.
func (l *Locations) Encode(dst []byte) ([]byte, error) {
	sc := l.of.scratch()
	defer l.of.scratches.Put(sc)
	return l.of.index.Encode(dst, Block{Bytes: l.index.pairs}, sc)
}
