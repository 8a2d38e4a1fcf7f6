// Package tables makes the tables of the documentation that say what there is, of the registries
// that say so to the program: formats, data types, codecs, and the rules of validation; and those
// of how long encoded data is, of what make ratios recorded.
//
//	go test ./internal/tables -update   # writes them between their markers in docs/
//
// Its test fails where a page says something else.
package tables
