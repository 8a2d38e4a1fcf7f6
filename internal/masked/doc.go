// Package masked preserves which elements of an array xarray treats as missing when the array is
// converted between Zarr formats.
//
// In v2, xarray interprets the fill value as CF's _FillValue: elements equal to it are missing. In
// v3, the fill value is only the value of chunks that are not stored, and elements equal to the
// attribute _FillValue are missing. Converting an array with unchanged fill value and attributes
// would therefore change which elements are missing.
//
// The attribute is encoded as by xarray.backends.zarr.FillValueCoder. Data types that it cannot
// decode, such as text and numpy.datetime64, get no attribute, because xarray would then fail to
// open the array.
package masked
