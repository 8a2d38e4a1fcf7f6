//go:build !race

package zarr_test

// allocationsPerChunk bounds TestAllocationsPerChunk; 6 are seen.
const allocationsPerChunk = 8
