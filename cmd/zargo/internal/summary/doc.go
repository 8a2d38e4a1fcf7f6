// Package summary computes statistics and histograms of arrays that may be larger than memory.
//
//	s, err := summary.New(a.DType(), coding)
//	err = s.Add(ctx, elems) // consecutive elements in memory form, once for each band
//	r, err := s.Result()
//
// Elements are decoded by a CF coding. Elements that it decodes to NaN are missing. Infinities are
// counted, and are not part of the minimum, maximum, mean, standard deviation and bins.
//
// The result does not depend on the division of the elements into bands, on the number of CPUs or
// on the order in which goroutines run. Elements are divided into segments of a fixed length by
// their position. The mean and the variance of a segment are computed in two passes, and segments
// are merged in order (Chan, Golub and LeVeque: Updating formulae and a pairwise algorithm for
// computing sample variances, 1979).
//
// # Errors
//
// New returns fault.Type for data types that are not numbers.
//
// # Concurrency
//
// A [Summary] or [Histogram] must not be used concurrently. Add uses all CPUs.
package summary
