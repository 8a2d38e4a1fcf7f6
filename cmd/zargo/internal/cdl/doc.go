// Package cdl prints and parses CDL, the text form of netCDF files that ncdump prints and ncgen
// reads.
//
//	err := cdl.Write(w, &cdl.File{Name: "weather", Root: root}, nil)
//	f, err := cdl.Parse(text)
//
// The form is that of the NetCDF User's Guide, section "CDL Guide", and of ncdump 4.9 for netCDF-4
// files. User-defined types and virtual attributes are not supported. Numbers have as many digits
// as are necessary to read back the same value, and no more than ncdump prints if those suffice.
//
// # Errors
//
// Parse returns fault.Metadata for malformed text; the error contains the number of the line. It
// returns errors.ErrUnsupported for types that have no equivalent in Zarr. Text may be hostile:
// groups may be nested at most MaxDepth deep, and the memory of the result is proportional to the
// length of the text.
//
// # Concurrency
//
// A [DataWriter] must not be used concurrently. All functions are safe for concurrent use.
package cdl
