// Package lengths has the encoded sizes of zargo and of numcodecs for the same bytes, for the
// tables of the documentation. integration/numcodecs/ratios records them (make ratios).
package lengths
