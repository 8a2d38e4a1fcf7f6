// Package rechunk plans how an array is copied to an array with other chunks in bounded memory: in
// one stage, or in several stages through intermediate arrays. Intermediate arrays have regular
// chunks and can be stored as any Zarr array.
//
//	best, one, err := rechunk.Solve(rechunk.Problem{
//		Shape: []int{350640, 721, 1440}, ItemSize: 4,
//		From: []int{1, 721, 1440}, To: []int{350640, 10, 10},
//		Memory: 1 << 30,
//	})
//
// A stage copies one array into another. Each of its tasks writes one block of the written array:
// it reads all chunks that touch the block, and writes all chunks of the block, each of them whole.
// No two tasks write the same object, so tasks can run in any order and can be repeated after a
// failure. A stage starts when the previous one is complete.
//
// If source chunks are long along one axis, and target chunks are long along another axis, a copy
// in one stage reads every source chunk many times, once for each block that it touches. An
// intermediate array adds a write and a read of all bytes, but saves requests. The [Solution]
// contains both costs.
//
// The methods of two other projects are used. rechunker (Pangeo) uses intermediate arrays whose
// chunks are as small as the intersection of two blocks. cubed uses regular intermediate chunks
// whose shapes are multiples of each other along each axis. Both projects call an intermediate
// array a stage, so n of their stages are n+1 stages here. They compute the shapes by a formula.
// This package searches for the shapes of least cost.
//
// The package is pure and keeps no state. The search is bounded by a number of steps, and its
// result depends only on the problem.
package rechunk
