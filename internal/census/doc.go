// Package census counts the stored objects of arrays: chunks present, absent and corrupt, inner
// chunks of shards, keys beyond the grid, and bytes.
//
//	c, err := census.Array(ctx, a, census.Options{})
//	fmt.Println(c.Present, c.Absent, c.Stored, c.Ratio())
//
// A census takes a listing and, for a sharded array, a request for the index of each shard. With
// Data every chunk is read and decoded.
package census
