// Package lengths contains the record of the encoded sizes that zargo and numcodecs produce for the
// same bytes. The documentation has tables of these sizes. integration/numcodecs/ratios records
// them (make ratios).
package lengths
