// Package load tests arrays under many concurrent goroutines, in S3, Google Cloud Storage and Azure
// Blob Storage through a fault proxy that counts requests, and in a directory. Values must be
// correct and no update lost. A written chunk must never read as the fill value. The requests in
// flight stay within the store's limit, and the connections within what those need. Nothing
// continues after Close, and a response that is not from S3 is an error.
//
// The package contains only tests, which are most useful with the race detector:
//
//	go test -race ./integration/load
//
// They need the servers' buckets; see package bucket.
package load
