// Package pyramid creates image pyramids: successively smaller copies of an array, for viewers and
// for coarse analysis. The copies have fewer elements along the horizontal dimensions.
//
//	levels, err := pyramid.Build(ctx, st, "dem/elevation", pyramid.Options{})
//
// # Layout
//
// The levels of the array t2m are the arrays 1/t2m, 2/t2m, … in the group of t2m. The levels of the
// array 0/t2m are 1/t2m, 2/t2m, … in the group of 0. The levels of an array named 0 are the arrays
// 1, 2, … in the same group. A level has the data type, fill value, codecs, dimensions and
// attributes of the array. Its chunks and shards have the same shape, but are not longer than the
// level needs.
//
// If each level has a group of its own, Build also creates the index coordinates of its dimensions.
// Each coordinate of a downsampled dimension is the mean of the coordinates of a window, for all
// methods. Integer coordinates become float64. Build omits coordinates of downsampled dimensions
// that are neither numbers nor times, and removes the attribute bounds. It does not copy other
// variables, such as those that the attributes grid_mapping and coordinates name.
//
// The attributes multiscales and zarr_conventions of the group describe the levels by the Zarr
// convention multiscales 0.1. The member transform of a level maps the index of an element to the
// previous level: index × factor + (factor - 1)/2. Build writes the attributes last, so they never
// describe an incomplete level. It keeps the entries of other arrays.
//
// # Levels
//
// Build computes each level from the previous one. It reduces each window of Factor elements along
// each downsampled dimension to one element. A window at the end of a dimension may have fewer
// elements. For [Mean], the result equals xarray's coarsen(boundary="pad").mean() in float64,
// rounded to the data type. The mean of integers is exact and then rounded to the nearest integer,
// ties to even, as xarray rounds packed values.
//
// Mean and Mode exclude missing elements. As in xarray, these are NaN, elements equal to _FillValue
// or missing_value, and elements of a v2 array equal to its fill value. If all elements of a window
// are missing, the result is the missing value. Build does not unpack values, because scale_factor
// and add_offset apply to means too.
//
// # Interruptions
//
// Build writes each chunk or shard once, and stores the metadata documents of a level after all its
// chunks. Until the attributes describe all levels, an object below __zargo_pyramid in the group
// contains the options of the build. The next build with the same options skips the stored chunks
// and shards. Chunks of only fill values are not stored, so it computes them again. Concurrent
// builds with the same options store the same bytes, and all of them succeed.
//
// The array must not change during a build.
//
// # Memory
//
// Build reserves Options.Memory bytes for elements and objects in a child of the memory budget of
// Options.Limits. The Go heap exceeds the memory in use between garbage collections.
//
// # Errors
//
// Errors are those of package zarr.
//
// # Concurrency
//
// All functions are safe for concurrent use by goroutines and processes.
package pyramid
