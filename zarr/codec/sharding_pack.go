package codec

// Packing is a shard that is made of stored inner chunks, one after another. All are missing at
// first.
type Packing struct {
	Bytes  []byte // what there is; a longer slice with the same bytes may take its place
	Stored int    // inner chunks that are not missing

	of    *sharding
	index ShardIndex
	start int // of the shard in Bytes
}

// Pack begins a shard, which is appended to dst.
func (s *Shards) Pack(dst []byte) Packing { return s.codec.begin(dst) }

func (s *sharding) begin(dst []byte) Packing {
	p := Packing{Bytes: dst, of: s, index: newShardIndex(s.n), start: len(dst)}
	if s.atStart {
		p.Bytes = append(p.Bytes, make([]byte, s.size)...)
	}
	return p
}

// Add appends the stored bytes of the inner chunk at a position of the index; without bytes it is
// missing.
func (p *Packing) Add(position int, stored []byte) {
	from := len(p.Bytes)
	p.Bytes = append(p.Bytes, stored...)
	p.mark(position, from)
}

// mark says that an inner chunk is what was appended from from on.
func (p *Packing) mark(position, from int) {
	if n := len(p.Bytes) - from; n > 0 {
		p.index.set(position, int64(from-p.start), int64(n))
		p.Stored++
	}
}

// End writes the index, and gives the bytes. A shard of which no inner chunk is stored need not be.
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
