// Package dataset reads and writes groups of arrays with named dimensions, as xarray does: it
// selects elements by the labels of coordinates, and decodes values by the CF conventions (package
// cf).
//
//	d, err := dataset.Open(ctx, st, "", dataset.Options{})
//	t2m, err := d.Var("t2m", dataset.Label("time", "2020-01"), dataset.Between("lat", 50, 40))
//	kelvin, err := dataset.Read[float32](ctx, t2m)
//
// A [Dataset] is a group and a selection of its elements. A [Variable] is one array of the dataset.
// Both are lazy: only Open, which reads the index coordinates, and reads of a Variable send
// requests. [Variable.Plan] returns the requests of a read. There is no arithmetic.
//
// # Coordinates
//
// An array of one dimension that has the name of its dimension is the index coordinate of the
// dimension. Its values are the labels. A query selects by label ([Label], [Between]) or by
// position ([At], [Slice]); [Text] and [Parse] accept both the texts of the command line and those
// of web services. The rules are those of xarray, except that
//
//   - [Between] accepts its ends in either order;
//   - a text selects a period of time in all calendars by the same rule;
//   - [Query.Wrap] selects in cyclic coordinates, such as longitudes;
//   - integer labels that may be missing are compared as float64;
//   - coordinates of complex numbers and structures have no index, which a finding reports.
//
// The labels of bool coordinates are true and false. Those of time differences (numpy's
// timedelta64, and numbers that xarray stored for it) are texts such as "6h" and "1 days 06:00:00",
// or values of time.Duration. A dimension whose group has no coordinate has its positions as
// labels. If the coordinate exists and cannot be decoded, selections by label return the cause.
// docs/evidence/interoperability.md lists all differences from xarray.
//
// # Writes
//
// [Create] creates a dataset, [Dataset.Write] writes to the selected elements, and [Dataset.Append]
// appends to all variables of a dimension as one change. xarray opens the result.
//
// # Errors
//
// Errors are those of package zarr. The error is fault.Selection for a label, position or dimension
// that does not exist, fault.NotFound for a variable that does not exist, and fault.Type for a
// value that the type of a variable cannot represent.
//
// # Concurrency
//
// All values are immutable and safe for concurrent use. The lengths and labels of a Dataset are
// those at the time when it was opened.
package dataset
