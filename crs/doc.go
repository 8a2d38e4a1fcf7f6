// Package crs reads the georeference of an array or group from its attributes: the coordinate
// reference system, and the transformation from the positions of elements to coordinates. It
// supports the attributes of several conventions.
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
// The package performs no I/O and does not compute projections. It returns the code, the WKT and
// the PROJJSON of a coordinate reference system for use with a library such as PROJ. The method CRS
// of dataset.Variable returns the georeference of a variable of a dataset.
//
// # Sources
//
// Read uses the first of these sources that has a coordinate reference system:
//
//   - the CF grid mapping variable that the attribute grid_mapping names, with the WKT in crs_wkt
//     or spatial_ref;
//   - the coordinate spatial_ref of rioxarray, if the array lacks the attribute grid_mapping;
//   - the attribute _CRS of GDAL, with the members url, wkt and projjson;
//   - the Zarr convention proj in the attributes of the node: proj:code, proj:wkt2 and
//     proj:projjson, and proj:epsg of STAC;
//   - the Zarr convention proj in the attributes of the group directly above the array.
//
// Read uses the first of these sources that has a transformation: the Zarr convention spatial in
// the attributes of the node, the attribute GeoTransform of the grid mapping variable, and the
// convention spatial in the attributes of the group directly above the array. GDAL reads the last
// one too.
//
// Without any of these sources, Read uses the attributes crs and transform that xarray wrote for
// rasterio.
//
// The index coordinates of the array take precedence over these sources, as in rioxarray and GDAL.
// If the coordinates are at equal distances and disagree with the transformation, or no source has
// one, the grid is that of the coordinates. A coordinate of one element has the position, and its
// resolution is that of the transformation.
//
// # Findings
//
// A malformed attribute is not an error. Read ignores it and returns a [rule.Finding]. Read also
// returns a finding if two sources disagree. [Validate] additionally returns violations of rules
// that do not prevent reading.
//
// # Concurrency
//
// All values are immutable and safe for concurrent use.
package crs
