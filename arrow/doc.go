// Package arrow reads the variables of a dataset as tables: Arrow record batches, and files of
// Arrow IPC, Parquet and CSV. [Import] writes such tables to a dataset. The package is a separate
// module because Arrow depends on modules that other programs do not need. The commands
// zargo-export and zargo-import are programs of their own for the same reason.
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
// # Import
//
// Import finds the element of each row by its labels, and writes the other columns to variables.
// The rows may have any order. Labels are compared as numbers, times and texts: an integer is found
// in a coordinate of floats, and a text in a coordinate of times. Without an index coordinate,
// labels are positions.
//
//   - A new dataset has the distinct labels of each column in ascending order. Integers, floats and
//     texts keep their type. Timestamps and dates are stored as int64 in their unit since 1970, and
//     durations as int64 in the form of xarray. A timestamp with a zone is stored as its instant in
//     UTC. Elements without a row, and nulls, are NaN, the smallest signed or the largest unsigned
//     integer, the smallest int64 of times, or empty texts. Integers and booleans can only be
//     missing if the table has such elements; booleans are then int8. Columns of several tables get
//     a type for all of them: the wider one, float64 for integers and floats, and the finer unit of
//     times. Texts and other values in one column are an error.
//   - In an existing dataset, values are encoded as dataset.Floats and dataset.Times do. A value
//     that the variable cannot represent is an error, also an integer that a float would round, and
//     a fraction in a variable of integers without a scale factor. Elements without a row keep
//     their values, and a null is stored as missing. ImportOptions.Extend appends the labels that a
//     dimension lacks; all its variables grow, and elements without a row are missing.
//   - Dictionaries are decoded. Decimals and nested types are errors.
//   - In CSV, an empty cell is null. The type of a column is the first of int64, uint64, float64,
//     bool, timestamp and utf8 that fits all its cells. Numbers with leading zeros are texts.
//
// A first pass over the label columns finds all labels, so that an unknown label or an unsuitable
// type is an error before anything is stored. A value that cannot be stored, and a second row with
// the same labels, are errors when they are reached; rows before them may be stored.
//
// Rows in memory are grouped by chunk, or by shard. A chunk is written when it is complete, without
// being read. If the memory is full, the chunks whose last row is the oldest are merged with the
// stored ones, on condition that no other writer changed them (see zarr.Write). Rows in the order
// of the chunks therefore write each chunk once, also if some are absent. Imports that run at the
// same time lose nothing; of two rows with the same labels in two imports, either is stored.
//
// An interrupted import can be run again with the same table, with the same result as one that was
// not interrupted. An import creates a dataset in a new group, or in one without arrays, whose
// attributes it keeps. Until the coordinates are written, the group has the attribute zargo_import,
// and the import of a table with other labels is fault.Exists.
//
// Files are not trusted. Malformed ones are fault.Corrupt, and those whose batches or labels need
// too much memory fault.Limit.
//
// # Memory
//
// An import holds the labels, about 100 bytes each, ImportOptions.Memory for rows, and a batch of
// the table. To find rows with the same labels it holds a bit for each element of incomplete
// chunks.
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
