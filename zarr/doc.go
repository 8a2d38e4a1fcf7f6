// Package zarr reads and writes Zarr arrays and groups in any store, many chunks concurrently.
//
//	st := dir.New("data.zarr")
//	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{
//		Shape: []int{8760, 721, 1440}, Chunks: []int{24, 721, 1440}, DType: dtype.Float32,
//	})
//	err = zarr.Write(ctx, a, day, zarr.Range(0, 24))
//	a, err = zarr.OpenArray(ctx, st, "t2m")
//	dst := make([]float32, 24*180*360)
//	err = zarr.ReadInto(ctx, a, dst, zarr.Range(0, 24), zarr.Range(0, 180), zarr.Range(0, 360))
//
// The functions that open a node detect its Zarr format: v2, v3, or v1, which is read-only. Each
// kind of store has a package of its own. zarr/store/dir and zarr/store/mem have no dependencies,
// package s3 uses the AWS SDK, and package blob makes a store of any gocloud.dev bucket. Package
// zarr imports none of them.
//
// # Concurrency
//
// An [*Array] is an immutable snapshot of an array's metadata. All of its methods, and all
// functions that take one, are safe for concurrent use.
//
// A read that returns no error has set every element of its destination. After an error the
// contents of the destination are undefined.
//
// A write replaces each chunk that it covers completely. It updates other chunks by
// compare-and-swap, so writers of different parts of one chunk lose no elements, in one process or
// in several.
//
// # Errors
//
// The kind of an error indicates what the caller can do. Match it with errors.Is: [ErrNotFound],
// [ErrConflict] and the other constants of this package, or [errors.ErrUnsupported]. The types
// [*ChunkError], [*MetaError] and [*KeyError] locate the error. Match them with errors.As.
//
// A chunk that the store proves to be absent reads as the fill value. A chunk that is refused,
// unreachable, truncated or corrupt is an error.
package zarr
