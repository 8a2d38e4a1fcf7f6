// Package ratios compares the encoded sizes of zargo and numcodecs for the same bytes, with the
// same codec at the same level. [Sets] returns the bytes, and [Cases] returns the codecs and
// levels. The sizes are recorded in internal/test/lengths. The tables of docs/evidence/lengths.md
// are generated from this record.
//
//	make ratios   # encodes everything with both, writes the record and the tables, and prints each
//
// The tests encode some of the cases, and check that the sizes of both libraries equal the record.
// Without the Python of package numcodecs, they check only the sizes of zargo.
package ratios
