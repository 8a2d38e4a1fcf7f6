// Package diff compares the metadata and values of two arrays or two hierarchies, which may be in
// different stores and formats.
//
//	r, err := diff.Run(ctx, a, b, diff.Options{}) // two nodes
//	for _, n := range r.Nodes {                   // nodes that differ
//		fmt.Println(n.Path, n.Members, n.Values)
//	}
//
// Values are compared bit by bit: a NaN equals a NaN with the same bits, and 0 does not equal -0.
// A [Tolerance] permits differences of floats. A
// missing chunk equals a chunk whose elements are all the fill value. All chunks are decoded for
// the comparison, because equal versions in two stores do not prove equal contents.
//
// An array of more than 8 objects is listed first if the provider promises complete listings
// (store.Listings). Run then requests only objects that the listing contains.
//
// Arrays are read in blocks, several concurrently. The shape of the blocks is chosen so that few
// objects must be requested and decoded for more than one block. Each block is discarded after its
// comparison, so Run takes the memory that [Options] sets, plus the chunks in flight. The metadata
// of all nodes stays in memory until the end.
//
// # Errors
//
// Errors are those of package zarr. A difference is not an error.
package diff
