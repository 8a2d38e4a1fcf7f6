// Package grid implements the arithmetic of regular and rectilinear chunk grids. It finds the
// chunks that a selection touches and the selected part of each chunk, and copies elements between
// a chunk and the selected region.
//
//	r := grid.Region{{Start: 2, Step: 1, Count: 6}, {Start: 0, Step: 2, Count: 4}}
//	for box := range r.Chunks(grid.Even([]int{4, 4})) {
//		read(box.Coord) // box also has the selected range of each axis in the chunk and in the region
//	}
//
// A [Region] is the product of one [Slice] per axis. [Points] are single elements. Both implement
// [Selection].
//
// Arrays are in C order: the last axis is contiguous. The package is pure and does not depend on
// metadata or stores. Callers must check sizes before they call the package. A panic means that the
// caller has a bug.
package grid
