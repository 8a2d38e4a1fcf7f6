// Package masked converts the missing value of an array between Zarr formats, as xarray interprets
// it.
//
// In v2, xarray takes the fill value for CF's _FillValue: elements equal to it are missing. In v3
// the fill value is only the value of chunks that are not stored, and elements equal to the
// attribute _FillValue are missing. If fill value and attributes were copied unchanged, other
// elements would be missing after a conversion.
//
// The attribute is encoded as by xarray.backends.zarr.FillValueCoder. Data types without a decoder
// there, such as text and numpy.datetime64, get no attribute, since xarray would refuse to open
// the array.
package masked
