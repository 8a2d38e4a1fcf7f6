// Package arrow reads the variables of a dataset as tables: Arrow record batches, and files of
// Arrow IPC, Parquet and CSV. The package is a separate module because Arrow depends on modules
// that other programs do not need. The command zargo-export writes tables to files.
//
//	d, err := dataset.Open(ctx, st, "", dataset.Options{})
//	t, err := arrow.New(d, "time", "lat", "lon")
//	t, err = t.Select("t2m")
//	t, err = t.Where("time", "2020-01", "2020-02")
//	err = t.Write(ctx, w, arrow.Parquet)
//
// # Tables
//
// A dataset has one table for each set of dimensions of its data variables. The rows of a table are
// the elements of the variables, and Count returns their number without a request. Its columns are
//
//   - the labels of each dimension, or its positions if it has no index coordinate;
//   - the other coordinates with some or all of its dimensions, such as two-dimensional longitudes,
//     also those that the attribute coordinates of a variable names;
//   - the variables.
//
// Bounds of cells, and arrays without dimensions such as grid mappings, are not columns. Neither
// are elements of complex numbers and structures, which Table.Findings lists.
//
// A selection of labels or positions is made before anything is read, so that only chunks with
// selected rows are requested. A table reads its variables block by block, each chunk once, unless
// a variable has some of the dimensions: its chunks are read again for each block.
//
// # Types
//
// Elements that package cf considers missing, and NaN, are null. This is decided from the stored
// values, before they are scaled.
//
//   - Numbers keep their type. float16 becomes float32, and _Unsigned changes the sign of integers.
//   - Packed values are float64.
//   - Times are timestamps without a time zone, in the coarsest unit of s, ms, µs and ns that their
//     units need, or in µs, rounded, if floating-point numbers are stored. datetime64 keeps its
//     unit from s to ns. In the calendars julian, noleap, all_leap, 360_day and tai, times are
//     texts such as 2000-02-30T06:00:00. A date before 1582-10-15 in the calendar standard is an
//     error: open the dataset with RawTimes to read numbers.
//   - Time differences are durations in ns.
//   - Texts are utf8, and bytes of varying length are binary.
//
// Coordinates of one dimension are dictionaries with indexes of type int32, unless the table has
// one dimension or the coordinate has more than 2²⁰ labels.
//
// # Memory
//
// A reader holds the dictionaries and two blocks, each with about 16 MiB of stored elements or an
// eighth of the memory budget of the arrays, if that is less, and with its columns. A chunk of up
// to four times as many bytes is one block. The Parquet writer also holds a row group.
//
// # Errors
//
// Errors have the kinds of package fault, and contain the name of the column: fault.NotFound for
// unknown dimensions and columns, fault.Selection for labels that do not exist, fault.Type for
// values that the type of a column cannot represent, and fault.Limit for times out of its range.
// Other errors are those of package zarr and of the writer.
//
// # Concurrency
//
// A Table is immutable and safe for concurrent use. A reader is for one goroutine.
package arrow
