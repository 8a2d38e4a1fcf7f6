// Package bench measures the main operations of package zarr over memory and over a store with the
// latency of a nearby bucket. make bench OLD=ref NEW=ref compares two commits.
package bench
