// Package zip reads a zip archive in any store as a store, and writes an archive in a single pass.
//
//	st, err := zip.Open(ctx, bucket, "runs/7.zarr.zip")
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// [Open] reads only the directory at the end of the archive. It makes at most two requests, or
// three if the store below does not support suffix ranges. The directory stays in memory;
// [MaxDirectory] limits its size. Reading a value takes one request. The first read of a part of a
// stored value may take two.
//
// All requests are pinned to the version that the archive had at Open. They return fault.Conflict
// if the archive has been replaced. If the store below lacks versions, most reads from another
// archive are detected by the name and the CRC-32 of the value.
//
// # Rules
//
//   - Values may be stored without compression, or compressed by deflate, bzip2 or lzma, as Python's
//     zipfile writes them. Reading a value with another method, or an encrypted value, returns
//     errors.ErrUnsupported.
//   - If several entries have the same name, the last in the directory is the value, as in Python's
//     zipfile.
//   - Names that store.CheckKey refuses, such as "../x" or "a\b", are listed with size -1 and cannot
//     be read. Directories are ignored.
//   - The CRC-32 is checked whenever a whole value is read. A compressed value is always read as a
//     whole. A range of a stored value is not checked.
//   - Overlapping entries, and sizes that deflate cannot reach, are fault.Corrupt. They are
//     detected before memory is allocated. The memory for a value that is compressed by another
//     method is allocated as the value is decompressed.
//   - lzma takes memory for the dictionary of the value, at most 64 MiB and a quarter. A value that
//     needs a larger dictionary is fault.Limit.
//   - Data before the archive is permitted. Data after the archive is not.
//
// [Writer] writes values without compression and with fixed times, so equal values result in equal
// archives. [Save] writes an archive to a store. The format is PKWARE APPNOTE 6.3.10.
//
// # Concurrency
//
// A Store is safe for concurrent use. A Writer is not.
package zip
