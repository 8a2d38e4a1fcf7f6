// Package ratios measures how long what zargo writes is against what numcodecs writes of the same
// bytes, with the same codec at the same level: [Sets] are the bytes, [Cases] what they are encoded
// with. How long each came out of both is recorded in internal/lengths, of which the tables of
// docs/evidence/lengths.md are made.
//
//	make ratios   # encodes everything with both, writes the record and the tables, and prints each
//
// The tests encode a part of the cases and hold both programs to the record, byte for byte.
// Numcodecs is asked through the judge of the package above, and without one only zargo is held.
package ratios
