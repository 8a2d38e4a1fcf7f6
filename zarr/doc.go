// Package zarr reads and writes Zarr arrays and groups in any store, many chunks at once.
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
// Formats v2 and v3 are found out, not asked for. A store is a package of its own: zarr/store/dir
// and zarr/store/mem need nothing, s3 brings its SDK, blob makes a store of any gocloud.dev bucket;
// this package reaches none of them.
//
// An [*Array] is an immutable snapshot of an array's metadata: every method and function that takes
// one may be called from any number of goroutines. A read that returns no error has set every
// element of its destination; after an error the destination's contents are undefined. Writes of
// whole chunks replace them; writes of parts of chunks are compare-and-swap, so that writers of
// different parts of one chunk lose nothing, in one process or in many.
//
// Errors say what to do ([ErrNotFound], [ErrConflict], …, and [errors.ErrUnsupported]) by
// errors.Is, and where by errors.As: [*ChunkError], [*MetaError], [*KeyError]. A chunk that is
// proven absent is data: it reads as the fill value. One that is refused, unreachable, truncated or
// corrupt is an error.
package zarr
