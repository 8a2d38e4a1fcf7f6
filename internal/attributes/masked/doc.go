// Package masked is used when an array is converted between Zarr formats. It ensures that xarray
// treats the same elements of the array as missing before and after the conversion.
//
// In v2, xarray interprets the fill value as CF's _FillValue: elements equal to it are missing. In
// v3, the fill value is only the value of chunks that are not stored, and elements equal to the
// attribute _FillValue are missing. Converting an array with unchanged fill value and attributes
// would therefore change which elements are missing.
//
// The attribute has the encoding of xarray.backends.zarr.FillValueCoder. Arrays of data types that
// the coder cannot decode, such as text and numpy.datetime64, get no attribute, because xarray
// would fail to open an array with the attribute.
package masked
