// Package pipeline binds an array's codecs to the shapes of its chunks, and moves elements between
// stored bytes and a region in memory.
//
//	p, err := pipeline.New(table, specs, codec.Repr{Type: t, Fill: fill}, axes, pipeline.Options{ChunkLimit: 1 << 30, IndexLimit: 32 << 20})
//	c, err := p.For(shape)                   // bound once for each shape, and kept
//	err = c.Decode(dst, box, stored, &s)     // stored bytes -> a box of a region
//	c.FillBox(dst, box)                      // for a chunk that is absent
//	out, fill, err := c.Encode(nil, nil, src, box, &s) // a box of a region -> the bytes to store
//
// A chunk is decoded in one piece. A shard is also a [Chunk]. If its inner chunks can be read
// individually, [Chunk.Shards] is set and [Chunk.Inner] is an inner chunk.
//
// New and For return the errors of codec.Table.Chain. Decode returns fault.Corrupt for bytes that
// are not a valid chunk, and fault.Limit for a chunk that is too large for memory. The package
// performs no I/O. A Pipeline and a Chunk are safe for concurrent use. A Scratch must be used by
// one goroutine at a time.
package pipeline
