// Command manyprocesses has several processes write one array whose chunks they share, and checks
// that nothing was lost.
//
//	go run ./examples/manyprocesses data.zarr
//	go run ./examples/manyprocesses -processes 8 's3://bucket/new?region=eu-central-1'
//
// The URL names an array that is not there yet. The command creates it, starts itself once for each
// process, and lets all go at the same moment. Process k of n writes rows k, k+n, k+2n …, one call
// for each, and a chunk holds rows of all of them: each write reads a chunk, changes its row and
// puts it back on condition that it is still the one that was read. If it is not, the write is done
// again, which the processes count.
//
// Where writers need not share chunks, cut the work along chunks instead, as examples/means does:
// whole chunks are put without being read, and nobody has to try twice.
package main
