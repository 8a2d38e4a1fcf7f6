// Package compute reads the numbers of arrays and computes with them while they are in the cache of
// a CPU: it decodes and summarizes them, and counts them in histograms.
//
// The functions divide the elements as the store does, into chunks. Their loops are over slices of
// one Go type, without a call for each element. Results do not depend on the number of CPUs.
//
// Errors are those of package zarr, and fault.Type for data types that are not numeric. Functions
// are safe for concurrent use.
package compute
