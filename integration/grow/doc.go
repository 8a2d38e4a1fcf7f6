// Package grow lets several processes make arrays longer in S3, Google Cloud Storage and Azure Blob Storage and in a folder, and kills them
// while they do. What was acknowledged is there once, a reader never sees a shape without its chunks, the next process completes what a
// killed process began, and xarray opens the result each time.
//
// The package has tests only. They need the servers' buckets, see package bucket, and ZARGO_PEERS_PYTHON.
package grow
