// Package picture draws pictures of arrays. It reduces two dimensions of a variable to the pixels
// of a map, and draws the map with axes and a color bar.
//
//	t2m, err := d.Var("t2m", dataset.Label("time", "2026-01-01")) // d is a dataset.Dataset
//	slice, err := picture.Read(ctx, t2m, picture.ReadOptions{Size: 800})
//	img, err := picture.Render(slice, picture.Options{Palette: picture.Magma})
//	err = png.Encode(w, img)
//
// # Reading
//
// [Read] supports arrays larger than memory. It divides the elements into boxes, one for each
// pixel. The value of a pixel is the mean of the elements in its box ([Box]), or one of these
// elements ([Nearest]).
//
// # Drawing
//
// [Render] draws a [Slice] as an image with at most 256 colors. It does not need a dataset. If the
// rows are latitudes, north is at the top.
//
// # Errors
//
// Errors are those of package zarr. The functions return fault.Selection for a variable that does
// not have two dimensions, and for an invalid range.
//
// # Concurrency
//
// All functions are safe for concurrent use. Read sends concurrent requests within the limits of
// the array. Render uses one goroutine.
package picture
