// Package grid is the arithmetic of chunk grids, regular and rectilinear: which chunks a selection
// touches, which part of each, and the copies between a chunk and the selected region.
//
//	r := grid.Region{{Start: 2, Step: 1, Count: 6}, {Start: 0, Step: 2, Count: 4}}
//	for box := range r.Chunks(grid.Even([]int{4, 4})) {
//		read(box.Coord) // box also has the selected range of each axis in the chunk and in the region
//	}
//
// A region is a product of axes; Points are elements one by one. Both are a Selection.
//
// Arrays are in C order: the last axis is contiguous. The package is pure, knows nothing of
// metadata or stores, and keeps no state. It trusts its callers to have checked sizes; it panics
// only on a caller's bug.
package grid
