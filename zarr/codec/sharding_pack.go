package codec

// Packing assembles a shard in memory from stored inner chunks, one after another. Initially all
// inner chunks are missing.
type Packing struct {
	Bytes  []byte // the shard so far; the caller may replace it by a longer slice of the same bytes
	Stored int    // number of inner chunks that are not missing

	of    *sharding
	index ShardIndex
	start int // start of the shard in Bytes
}

// Pack returns an empty Packing that appends a shard to dst.
func (s *Shards) Pack(dst []byte) Packing { return s.codec.begin(dst) }

func (s *sharding) begin(dst []byte) Packing {
	p := Packing{Bytes: dst, of: s, index: newShardIndex(s.n), start: len(dst)}
	if s.atStart {
		p.Bytes = append(p.Bytes, make([]byte, s.size)...)
	}
	return p
}

// Add appends the stored bytes of the inner chunk at a position of the index. If stored is empty,
// the chunk remains missing.
func (p *Packing) Add(position int, stored []byte) {
	from := len(p.Bytes)
	p.Bytes = append(p.Bytes, stored...)
	p.mark(position, from)
}

// mark records p.Bytes[from:] as the stored bytes of the inner chunk at a position of the index.
func (p *Packing) mark(position, from int) {
	if n := len(p.Bytes) - from; n > 0 {
		p.index.set(position, int64(from-p.start), int64(n))
		p.Stored++
	}
}

// End writes the index and returns the shard. The caller does not have to store a shard without
// stored inner chunks.
func (p *Packing) End() ([]byte, error) {
	sc := p.of.scratch()
	defer p.of.scratches.Put(sc)
	var err error
	if !p.of.atStart {
		p.Bytes, err = p.of.index.Encode(p.Bytes, Block{Bytes: p.index.pairs}, sc)
		return p.Bytes, err
	}
	index, err := p.of.index.Encode(nil, Block{Bytes: p.index.pairs}, sc)
	copy(p.Bytes[p.start:], index)
	return p.Bytes, err
}
