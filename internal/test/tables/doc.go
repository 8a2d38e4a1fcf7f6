// Package tables generates tables of the documentation. The formats, data types, codecs, stores and
// validation rules come from the registries of this module. The encoded lengths come from the
// record that "make ratios" writes.
//
//	go test ./internal/test/tables -update   # writes the tables between their markers in docs/
//
// The test of this package fails if a page differs from the generated text.
package tables
