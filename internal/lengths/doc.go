// Package lengths keeps how long what zargo encodes is against what numcodecs makes of the same
// bytes, as integration/numcodecs/ratios recorded it (make ratios), for the tables of the
// documentation.
package lengths
