//go:build race

package zarr_test

// allocationsPerChunk is higher here: the race detector makes pools forget at random.
const allocationsPerChunk = 25
