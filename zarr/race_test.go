//go:build race

package zarr_test

// allocationsPerChunk is higher here: the race detector makes pools forget at random, and a new gzip reader makes its tables.
const allocationsPerChunk = 80
