// Package processes lets several processes change the same arrays, in S3, Google Cloud Storage and
// Azure Blob Storage and in a folder, and kills some. What each wrote is there, and what was
// acknowledged as appended is there once; a reader never sees a shape without its chunks; the next
// process completes what a killed one began; and xarray opens the result each time.
//
// The package has tests only. They need the servers' buckets, see package bucket, and
// ZARGO_PEERS_PYTHON. ZARGO_TURNS=200 has TestShared write that often, TestArrays, TestGroups and
// TestCopies run as many rounds, and TestKill kill 50 times everywhere, which takes minutes.
package processes
