// Package processes tests several processes that change the same arrays, in S3, Google Cloud
// Storage, Azure Blob Storage and in a directory, and kills some of them. All written data must be
// stored, and every acknowledged append must be stored exactly once. A reader must never see a
// shape without its chunks, the next process must complete the work of a killed process, and xarray
// must open the result each time.
//
// The package contains only tests. The tests need the buckets of the test servers (see package
// bucket) and ZARGO_PEERS_PYTHON. With ZARGO_TURNS=200, TestShared makes 200 writes, TestArrays,
// TestGroups and TestCopies run 200 rounds, and TestKill kills 50 times in each store, which takes
// minutes.
package processes
