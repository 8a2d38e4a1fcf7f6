// Package view serves a dataset in another form without storing it: a view is a read-only
// store.Store whose keys are computed on request from a dataset that is stored elsewhere.
//
//	ds, err := dataset.Open(ctx, st, "", dataset.Options{})
//	v, err := view.New(ctx, ds, view.Options{Format: 2, Decode: true})
//	a, err := zarr.OpenArray(ctx, v, "t2m")
//
// A view is a group and its arrays, in Zarr format 2 or 3, with consolidated metadata. [Options]
// set the format, the chunks, the shards and the codecs of the view, decode values by the CF
// conventions, and select elements by the labels of coordinates. Coordinates, their bounds, and
// attributes that state positions or extents follow the selection, as in copies by package
// transfer. The bytes of a chunk are those that a copy would store.
//
// # Requests
//
// [New] computes all documents of the view. A chunk, or a whole shard, is computed when it is
// requested: its elements are read from the source, encoded, and kept in a cache of Options.Cache
// bytes with the versions of the objects that were read. Concurrent requests of a key compute it
// once. Ranges of a value are taken from the kept value. [Store.Plan] returns the cost of a key in
// advance.
//
// A shard whose elements do not fit in the cache is never in memory. Its first request computes all
// of its inner chunks, because the index contains their lengths. The lengths and hashes are kept,
// and later requests compute only the inner chunks of their ranges.
//
// Each Get of a kept value sends conditional requests for the objects that it was computed from,
// unless that was done within Options.Fresh. In a source without versions it is computed again.
//
// The documents of the source's array are compared after each of these reads. If they describe
// another shape, encoding or attributes than when the view was made, the error is fault.Conflict,
// until [Store.Refresh]. Documents of the view do not change before that.
//
// # Memory
//
// Elements and chunks in flight take at most Options.Memory, and kept values at most Options.Cache.
// Values that callers hold are not counted. A view never reads more of its source at a time than
// one object of the view needs. If several chunks of the view need one chunk of the source, the
// dataset may be opened with zarr.Cache, so that it is read once. Values that were computed from
// such a cache are computed again after Options.Fresh.
//
// # Errors
//
// Errors are those of package store. If all elements of a chunk are the fill value, the chunk is
// absent, so Get returns fault.NotFound; listings may contain its key. A failure of the source is
// never fault.NotFound.
//
// # Concurrency
//
// A Store is safe for concurrent use.
package view
