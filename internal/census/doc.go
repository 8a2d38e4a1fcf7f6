// Package census counts what is stored of arrays: chunks that are there and absent, inner chunks of
// shards, chunks that are corrupt, keys that no read looks for, bytes.
//
//	c, err := census.Array(ctx, a, census.Options{})
//	fmt.Println(c.Present, c.Absent, c.Stored, c.Ratio())
//
// It takes a listing and, of a sharded array, a request for the index of each shard; with Data
// every chunk is read and decoded.
package census
