// Package crs reads the coordinate reference system of an array or group, and the transformation
// from the positions of elements to coordinates, from the attributes that several conventions
// define.
//
//	n := crs.Node{Array: true, Attrs: a.Attrs(), Dims: a.Dims(), Shape: a.Shape(), Parent: g.Attrs()}
//	ref := crs.Read(n)
//	if ref.CRS != nil {
//		fmt.Println(ref.CRS.Code, ref.CRS.Name()) // EPSG:32633 WGS 84 / UTM zone 33N
//	}
//	if ref.Grid != nil {
//		x, y := ref.Grid.At(0, 0) // the center of the first element
//	}
//
// The package performs no I/O, and does not compute projections: it returns the code, the WKT and
// the PROJJSON of a coordinate reference system for a library such as PROJ. The method CRS of
// dataset.Variable reads the variables of a dataset.
//
// # Sources
//
// The sources of the coordinate reference system are, in order of priority:
//
//   - the grid mapping variable of the CF conventions, which the attribute grid_mapping names, with
//     the WKT in crs_wkt or spatial_ref;
//   - the coordinate spatial_ref of rioxarray, if the array lacks the attribute grid_mapping;
//   - the attribute _CRS of GDAL, with the members url, wkt and projjson in this order;
//   - the Zarr convention proj: of the array, with proj:code, proj:wkt2 and proj:projjson;
//   - the Zarr convention proj: of the group directly above the array.
//
// The sources of the transformation are the Zarr convention spatial: of the array, the attribute
// GeoTransform of the grid mapping variable, and the convention spatial: of the group above, which
// GDAL reads too.
//
// # Findings
//
// Malformed attributes are not errors. Read ignores them, and returns a [Finding] for each of them.
// It also returns a finding if two sources disagree. [Validate] returns the violations of rules
// that do not prevent reading too.
//
// # Concurrency
//
// All values are immutable and safe for concurrent use.
package crs
