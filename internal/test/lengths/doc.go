// Package lengths contains a record of the encoded sizes that zargo and numcodecs produce for the
// same bytes. The program in integration/numcodecs/ratios writes the record (make ratios). The
// tables of sizes in the documentation are generated from it.
package lengths
