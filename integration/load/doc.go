// Package load tests arrays under many concurrent goroutines, in S3, Google Cloud Storage and Azure
// Blob Storage through a fault proxy that counts requests, and in a directory. Values must be
// correct and no update may be lost. A written chunk must never read as the fill value. The
// requests in flight and the connections must stay within the store's limits. Nothing may continue
// after Close, and a response that is not from S3 must be an error.
//
// The package contains only tests, which are most useful with the race detector:
//
//	go test -race ./integration/load
//
// The tests need the buckets of the test servers; see package bucket.
package load
