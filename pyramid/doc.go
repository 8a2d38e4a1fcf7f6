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
// If each level has a group of its own, Build also creates the variables that the attributes of the
// array refer to: the index coordinates of its dimensions, and the variables named in grid_mapping,
// coordinates, ancillary_variables, cell_measures, formula_terms and bounds. Each index coordinate
// of a downsampled dimension is the mean of the coordinates of a window, for all methods. Integer
// coordinates become float64. Bounds are those of the outer cells of a window. Other numbers are
// means, and flags and other types are the first element of each window. Build drops references to
// variables that it cannot create, such as coordinates that are strings.
//
// The attributes of levels describe the elements of the level: spatial:transform, spatial:shape and
// spatial:bbox, and GeoTransform of the grid mapping variable. The group of a level has the
// attributes of the conventions proj and spatial of the source's group. Build drops attributes of
// statistics such as actual_range, and reports them to Options.Dropped.
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
// chunks. An object below __zargo_pyramid in the group contains the options of the build, and a
// hash of the keys, sizes and versions of all objects of the array. If the first build of an array
// is interrupted, the next one with the same options skips the stored chunks and shards. Chunks of
// only fill values are not stored, so it computes them again. Later builds skip complete levels
// only, because requests of an interrupted earlier build may arrive late. Concurrent builds with
// the same options store the same bytes, and all of them succeed.
//
// The documents of a level do not prove that its chunks are stored, because another process may
// have removed chunks before a build stored the documents. So a continued build lists the chunks of
// each level and computes the missing ones. While a build computes a level, it compares each object
// that it reads of the previous level with the one that it has stored. It fails with fault.Conflict
// if the object was removed or replaced by another one.
//
// The hash identifies the elements of the array without reading them. If it differs, the levels are
// not current: [StatusOf] reports Outdated, and the next build computes all levels again. If the
// array changes during a build, or if another process changes objects of the levels, the build
// fails with fault.Conflict after its last chunk, and the next one starts over. After a build, the
// object also contains hashes of the objects of each level. If an object of a level is changed
// later, the level and the following ones are not current. Stores whose listings lack versions,
// such as web servers, have no hash. Versions belong to a store, so copies of a pyramid have no
// hash either.
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
