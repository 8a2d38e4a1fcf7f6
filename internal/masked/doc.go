// Package masked carries the missing value of an array from one Zarr format to the other, as xarray
// has it.
//
// xarray takes the fill value of a v2 array for CF's _FillValue: elements that are equal to it are
// missing. In v3 a fill value is only what chunks read as that are not stored, and elements are
// missing that are equal to the attribute _FillValue. An array that is converted with its fill
// value and its attributes as they are therefore has other missing values afterwards.
//
// The encoding of the attribute is that of xarray.backends.zarr.FillValueCoder. Data types of which
// it has no decoder, such as text and numpy.datetime64, get no attribute: xarray would refuse to
// open the array.
package masked
