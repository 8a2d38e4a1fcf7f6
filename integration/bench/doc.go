// Package bench measures the main operations of package zarr, on a store in memory and on a store
// with the latency of a nearby bucket. The command "make bench OLD=ref NEW=ref" compares two
// commits.
package bench
