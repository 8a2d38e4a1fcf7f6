// Package pyramid creates image pyramids: copies of an array with fewer and fewer elements along
// its horizontal dimensions, for viewers and for coarse analysis.
//
//	levels, err := pyramid.Build(ctx, st, "dem/elevation", pyramid.Options{})
//
// # Layout
//
// The levels of the array t2m of a group are the arrays 1/t2m, 2/t2m, … of the same group. Those of
// 0/t2m are 1/t2m, 2/t2m, … of the group above, and those of the array 0 are the arrays 1, 2, …
// beside it. A level has the data type, fill value, codecs, dimensions and attributes of the array.
// Its chunks and shards have the same shape, or that of the level if it is smaller.
//
// The group of a level also has the index coordinates of its dimensions. A coordinate of a
// downsampled dimension is the mean of the coordinates of each window, for all methods. Integers
// become float64. The attribute bounds is removed. Other variables, such as those that the
// attributes grid_mapping and coordinates name, are not copied.
//
// The attributes multiscales and zarr_conventions of the group describe the levels by the
// convention multiscales 0.1 of zarr-conventions. Its transform maps the index of an element to the
// previous level: index × factor + (factor - 1)/2. Build writes them last, so no incomplete level
// is announced. Entries of other arrays are kept.
//
// # Levels
//
// Each level is computed from the previous one. An element is computed from a window of Factor
// elements along each downsampled dimension. A window at the end of a dimension may have fewer
// elements. For [Mean] the result equals coarsen(boundary="pad").mean() of xarray for float64,
// rounded to the data type. Means of integers are exact before they are rounded to the nearest,
// ties to even, as xarray rounds packed values.
//
// Missing elements are those of xarray: NaN, elements equal to _FillValue or missing_value, and
// elements of a v2 array equal to its fill value. They are excluded. A window without other
// elements becomes the missing value. Values are not unpacked, because scale_factor and add_offset
// also apply to means.
//
// # Interruptions
//
// Each chunk or shard is written once, as a whole. The documents of a level are stored after all
// its chunks. Until all levels are described, an object below __zargo_pyramid in the group has the
// options of the build. The next build with the same options skips the stored objects. Chunks of
// only fill values are not stored, so they are computed again. Concurrent builds with the same
// options store the same bytes, and all succeed.
//
// The array must not be changed during a build.
//
// # Memory
//
// A build reserves memory for elements and objects in a child of the budget of package concurrency,
// which has Options.Memory bytes. The Go heap grows beyond the memory in use between garbage
// collections.
//
// # Errors
//
// Errors are those of package zarr.
//
// # Concurrency
//
// All functions may be called from any number of goroutines and processes.
package pyramid
