// Package summary computes statistics and histograms of arrays that may be larger than memory.
//
//	s, err := summary.New(a.DType(), coding)
//	err = s.Add(ctx, elems) // consecutive elements in memory form, once for each band
//	r, err := s.Result()
//
// A CF coding decodes the elements. Elements that it decodes to NaN are missing. A [Summary] counts
// infinities, but excludes them from the minimum, maximum, mean and standard deviation. A
// [Histogram] ignores them.
//
// The result does not depend on the division of the elements into bands, the number of CPUs, or the
// scheduling of goroutines. The package divides the elements into segments of a fixed length. It
// computes the mean and the variance of a segment in two passes, and merges the segments in order
// (Chan, Golub and LeVeque: Updating formulae and a pairwise algorithm for computing sample
// variances, 1979).
//
// # Errors
//
// New and NewHistogram return fault.Type for data types that are not numeric.
//
// # Concurrency
//
// A [Summary] or [Histogram] must not be used concurrently. Add uses all CPUs.
package summary
