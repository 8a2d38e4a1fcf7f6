// Package region handles regions of arrays for the example programs. It parses a region from the
// text of a request, divides it into blocks along chunks, and reads its values as JSON.
//
//	r, err := region.Parse("0:24,90,:", a.Shape())
//	for box := range r.Blocks(a.Chunks()) { // each within one chunk
//		use(box)
//	}
//	answer, err := region.Read(ctx, a, r, 1<<20)
//
// A Region does not change after its creation, and all functions are safe for concurrent use. They
// return fault.Selection for a region that does not fit, fault.Limit for a region that is too
// large, errors.ErrUnsupported for a data type without JSON numbers, and errors of package zarr.
package region
