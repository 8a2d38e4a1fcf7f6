// Package diff compares two arrays, or two hierarchies, wherever each is stored and in whatever
// format: their metadata, and their values.
//
//	r, err := diff.Run(ctx, a, b, diff.Options{}) // two nodes
//	for _, n := range r.Nodes {                   // those that differ
//		fmt.Println(n.Path, n.Members, n.Values)
//	}
//
// Values are compared bit for bit: a NaN equals a NaN of the same bits, and 0 does not equal -0. A
// chunk that is missing on one side equals one that holds the fill value on the other.
//
// An array of more than 8 objects is listed first, where the provider promises complete listings
// (store.Listings), and of those only what was there then is asked for: one request for each where
// the chunks of the two do not lie across each other. Chunks are compared decoded, never by their
// versions: equal ones of two stores prove nothing.
//
// Arrays are read in blocks of whole chunks of the first, many at once, and nothing of them is
// kept: memory is that of [Options], beside the chunks that are being decoded. Where the chunks of
// the second lie across those of the first, some of them are read more than once. Nodes are kept
// until the end, their metadata with them.
//
// Errors are those of package zarr. Differences are none.
package diff
