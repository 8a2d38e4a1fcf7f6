// Package pipeline binds an array's codecs to the shapes that its chunks have, and moves elements
// between stored bytes and a region in memory.
//
//	p, err := pipeline.New(table, specs, codec.Repr{Type: t, Fill: fill}, axes, pipeline.Options{ChunkLimit: 1 << 30, IndexLimit: 32 << 20})
//	c, err := p.For(shape)                   // bound once for each shape, and kept
//	err = c.Decode(dst, box, stored, &s)     // stored bytes -> the box of a region
//	c.FillBox(dst, box)                      // of a chunk that is absent
//	out, fill, err := c.Encode(nil, nil, src, box, &s) // a box of a region -> the bytes to store
//
// A chunk is what is decoded as one piece. A shard is a chunk too: it has [Chunk.Shards] where its
// inner chunks can be read one by one, and these are [Chunk.Inner].
//
// Errors of binding are those of codec.Table.Chain. Decode gives fault.Corrupt for bytes that are
// no chunk and fault.Limit for a chunk that may not be held in memory. The package is pure; a
// Pipeline and a Chunk may be used from any number of goroutines, a Scratch by one at a time.
package pipeline
