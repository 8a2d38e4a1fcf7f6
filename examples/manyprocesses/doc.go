// Command manyprocesses lets several processes write one array whose chunks they share, and checks
// that no write was lost.
//
//	go run ./examples/manyprocesses data.zarr
//	go run ./examples/manyprocesses -processes 8 's3://bucket/new?region=eu-central-1'
//
// The URL names an array that does not exist yet. The command creates it, starts itself once for
// each process, and starts their work at the same moment. Process k of n writes rows k, k+n, k+2n
// …, with one call for each row. A chunk contains rows of all processes. Each write reads a chunk,
// changes one row, and puts the chunk on condition that the stored chunk has not changed since. If
// it has changed, the write is repeated. The processes count these conflicts.
//
// If writers need not share chunks, divide the work along chunks instead, as examples/means does.
// Whole chunks are put without being read, and no write is repeated.
package main
