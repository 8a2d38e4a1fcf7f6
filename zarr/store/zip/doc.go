// Package zip reads a zip archive in any store as a store of its own, and writes one in a single
// pass.
//
//	st, err := zip.Open(ctx, bucket, "runs/7.zarr.zip")
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// Only the directory at the end of the archive is fetched: [Open] costs two requests, three where
// the store below cannot read from the end. A value costs one, a part of a stored value one more
// the first time. The directory stays in memory, bounded by [MaxDirectory].
//
// What is read is the archive as it was at Open: every request is pinned to its version, and
// fault.Conflict when it was replaced. A store below without versions cannot pin; there the name in
// front of each value and its CRC-32 guard against reading another archive.
//
// Rules of reading:
//
//   - Stored and deflated values; another method, or encryption, is errors.ErrUnsupported for that value alone.
//   - Of several entries with one name the last in the directory is the value, as Python's zipfile has it.
//   - A name that store.CheckKey refuses, such as "../x" or "a\b", is not listed and cannot be read. Folders are skipped.
//   - CRC-32 is checked whenever all bytes of a value are read, which for a deflated one is always. A part of a stored
//     value is read directly and not checked.
//   - Entries that overlap, and sizes that deflate cannot reach, are fault.Corrupt before memory is allocated.
//   - Data before the archive is allowed, data after it is not.
//
// [Writer] writes stored values with fixed times, so equal values give equal archives; [Save] does
// so into a store. A Store may be used from any number of goroutines; a Writer by one at a time.
// Format: PKWARE APPNOTE 6.3.10.
package zip
