// Package cdl prints and parses CDL, the text notation for netCDF files that ncdump prints and
// ncgen reads.
//
//	err := cdl.Write(w, &cdl.File{Name: "weather", Root: root}, nil)
//	f, err := cdl.Parse(text)
//
// The syntax is that of ncdump 4.9 for netCDF-4 files, which the NetCDF User's Guide documents in
// the section "CDL Guide". User-defined types and virtual attributes are not supported. Numbers
// have the fewest digits that identify their values.
//
// # Errors
//
// Parse returns fault.Metadata for malformed text. The error contains the number of the line. Parse
// returns errors.ErrUnsupported for unsupported types and data sections. The text may be hostile.
// Parse limits the nesting of groups to MaxDepth, and the memory of the result is proportional to
// the length of the text.
//
// # Concurrency
//
// A [DataWriter] must not be used concurrently. All functions are safe for concurrent use.
package cdl
