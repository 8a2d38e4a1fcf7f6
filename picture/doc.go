// Package picture draws pictures of arrays: it reduces two dimensions of a variable to the pixels
// of a map, and draws the map with axes and a color bar.
//
//	t2m, err := d.Var("t2m", dataset.Label("time", "2026-01-01")) // d is a dataset.Dataset
//	slice, err := picture.Read(ctx, t2m, picture.ReadOptions{Size: 800})
//	img, err := picture.Render(slice, picture.Options{Palette: picture.Magma})
//	err = png.Encode(w, img)
//
// # Reading
//
// [Read] reads arrays larger than memory. A pixel is the mean of the elements that it stands for
// ([Box]), or one of them ([Nearest]).
//
// # Drawing
//
// [Render] draws a [Slice] as an image with 256 colors, and needs no dataset. Latitudes that
// increase are drawn upwards, so the north is at the top.
//
// # Errors
//
// Errors are those of package zarr. The error is fault.Selection for a variable that does not have
// two dimensions, and for an invalid range.
//
// # Concurrency
//
// All functions may be called concurrently. Read reads concurrently, within the limits of the
// array. Render uses one goroutine.
package picture
