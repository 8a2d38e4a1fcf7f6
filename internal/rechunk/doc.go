// Package rechunk plans how an array is copied into other chunks with bounded memory: in one stage,
// or in several through intermediate arrays, which have regular chunks and can be any Zarr array.
//
//	best, one, err := rechunk.Solve(rechunk.Problem{
//		Shape: []int{350640, 721, 1440}, ItemSize: 4,
//		From: []int{1, 721, 1440}, To: []int{350640, 10, 10},
//		Memory: 1 << 30,
//	})
//
// A stage copies one array into another. Its tasks are the blocks of the written array: each reads
// all chunks that touch its block, whole, and writes all chunks of its block, whole. No two tasks
// write the same object, so they run in any order and again after a failure; a stage begins when
// the one before it is complete.
//
// Where the chunks of source and target lie across each other, one stage reads every source chunk
// once for each of many blocks. An intermediate array costs one more write and one more read of all
// bytes, and cuts the requests: both costs are in the [Solution].
//
// The idea, and that intermediates are as small as the two blocks that share them, are from
// rechunker (Pangeo), and that all shapes along an axis are multiples of each other, so that
// intermediates are regular, is from cubed. What they call a stage is one intermediate array: n of
// theirs are n+1 of ours. Shapes are searched for here by what they cost, not taken from a formula.
//
// The package is pure and keeps no state. The search is bounded by a count of steps, and its result
// depends on the problem alone.
package rechunk
