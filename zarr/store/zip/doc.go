// Package zip reads a zip archive in any store as a store, and writes an archive in a single pass.
//
//	st, err := zip.Open(ctx, bucket, "runs/7.zarr.zip")
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// [Open] reads only the directory at the end of the archive. That costs two requests, or three if
// the store below does not support suffix ranges. The directory stays in memory, bounded by
// [MaxDirectory]. Reading a value costs one request. The first read of a part of a stored value
// costs one more.
//
// All requests are pinned to the version of the archive at Open. They return fault.Conflict if the
// archive was replaced. Without versions in the store below, the name before each value and its
// CRC-32 detect most reads of another archive.
//
// # Rules
//
//   - Values may be stored or deflated. Reading a value with another method, or with encryption,
//     returns errors.ErrUnsupported.
//   - If several entries have the same name, the last in the directory is the value, as in Python's
//     zipfile.
//   - Names that store.CheckKey refuses, such as "../x" or "a\b", are neither listed nor readable.
//     Directories are skipped.
//   - The CRC-32 is checked whenever a whole value is read, and so always for deflated ones. A
//     range of a stored value is not checked.
//   - Entries that overlap, and sizes that deflate cannot reach, are fault.Corrupt, before memory
//     is allocated.
//   - Data before the archive is allowed, data after it is not.
//
// [Writer] writes stored values with fixed times, so equal values result in equal archives. [Save]
// writes an archive to a store. The format is PKWARE APPNOTE 6.3.10.
//
// # Concurrency
//
// A Store is safe for concurrent use. A Writer is not.
package zip
