// Package ratios compares the encoded sizes of zargo and numcodecs for the same bytes, with the
// same codec at the same level. [Sets] returns the bytes, and [Cases] the codecs and levels. The
// sizes are recorded in internal/lengths, which generates the tables of docs/evidence/lengths.md.
//
//	make ratios   # encodes everything with both, writes the record and the tables, and prints each
//
// The tests encode part of the cases and compare the sizes of both libraries with the record,
// exactly. Without the Python of package numcodecs they compare only zargo.
package ratios
