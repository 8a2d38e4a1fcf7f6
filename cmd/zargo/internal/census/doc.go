// Package census counts the stored objects of arrays: chunks that are present, absent and corrupt,
// inner chunks of shards, keys beyond the grid, and bytes.
//
//	c, err := census.Array(ctx, a, census.Options{})
//	fmt.Println(c.Present, c.Absent, c.Stored, c.Ratio())
//
// A census needs a listing and, for a sharded array, a request for the index of each shard. With
// Options.Data it reads and decodes every chunk.
package census
