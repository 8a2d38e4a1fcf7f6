// Package tables generates tables of the documentation. Formats, data types, codecs, stores and
// validation rules are from the registries that the program uses. Encoded lengths are from the
// record written by make ratios.
//
//	go test ./internal/tables -update   # writes the tables between their markers in docs/
//
// Its test fails if a page differs from the generated text.
package tables
