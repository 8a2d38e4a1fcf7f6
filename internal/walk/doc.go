// Package walk reads selections of arrays that are larger than memory.
//
// A walk has two halves. The first divides a selection into boxes:
//
//   - [Lattice] cuts each axis independently, for example at the multiples of a step ([Steps]).
//   - [Bands] cuts a selection into parts that are consecutive in C order and have at most a number
//     of bytes.
//   - [Tiles] cuts a selection into boxes of whole chunks of about a number of elements.
//
// The second half, [Read], reads the boxes ahead of a loop, in order or as they arrive, and
// reserves their memory in the budget that the process shares:
//
//	tiles := walk.Tiles(axes, 1<<18, 1<<23)
//	o := walk.Options{Budget: limits.Bytes, Bytes: 12 << 20, Ahead: 16, Need: walk.Each(8)}
//	for sum, err := range walk.Read(ctx, o, tiles, sumOf) {
//		if err != nil {
//			return err
//		}
//		total += sum
//	}
//
// Boxes end at the boundaries of chunks, so that no object is read twice, unless the memory is too
// small for a chunk. Elements may have a fixed or a varying length; the limits of Bands may change
// while the walk learns the lengths.
//
// The sequences of boxes are lazy, because an array may have more boxes than fit in memory. All
// functions are safe for concurrent use. Errors are those of the function that reads a box, and
// context.Cause.
package walk
