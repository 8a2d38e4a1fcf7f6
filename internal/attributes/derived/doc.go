// Package derived computes the attributes of arrays and groups whose elements were selected,
// reduced or extended. Attributes that describe position, extent, size or statistics follow the
// elements. The package is the only writer of each of these conventions:
//
//   - spatial:transform, spatial:shape and spatial:bbox of the Zarr convention spatial, and
//     proj:transform, proj:shape and proj:bbox of STAC;
//   - GeoTransform of a grid mapping variable, and the attributes transform and res of rasterio;
//   - the levels in multiscales of the Zarr convention multiscales, and in multiscales of OME-Zarr;
//   - actual_range and other statistics, and geospatial_* and time_coverage_* of ACDD.
//
// An attribute that cannot be kept true is dropped, and reported as a [Dropped]. Attributes such as
// valid_range, which describe possible values, are unchanged.
//
// # Concurrency
//
// All functions are pure and safe for concurrent use. They do not change their arguments.
package derived
