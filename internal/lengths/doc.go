// Package lengths has the encoded sizes that zargo and numcodecs produce for the same bytes, for
// the tables of the documentation. integration/numcodecs/ratios records them (make ratios).
package lengths
