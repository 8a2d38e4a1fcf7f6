// Package region is what the example programs say regions of an array with: text for a request,
// boxes along the chunks to work on one by one, values as JSON to answer with.
//
//	r, err := region.Parse("0:24,90,:", a.Shape())
//	for box := range r.Blocks(a.Chunks()) { // each within one chunk
//		use(box)
//	}
//	answer, err := region.Read(ctx, a, r, 1<<20)
//
// A Region is a value and is not changed after it was made. The functions may be called from any
// number of goroutines. Errors: fault.Selection for a region that does not fit, fault.Limit for one
// that is too large, errors.ErrUnsupported for a data type without JSON numbers, and those of
// package zarr.
package region
