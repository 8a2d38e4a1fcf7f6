// Package load works on arrays with many goroutines at once, in S3, Google Cloud Storage and Azure
// Blob Storage, through a proxy that counts and, if told to, misbehaves, and in a folder. Values
// must be right and no update lost, a chunk that was written never reads as the fill value again,
// no more requests are in flight than the store allows and no more connections opened than those
// need, nothing runs on after Close, and what is not an answer of S3 must be an error.
//
// The package has tests only, which are worth most with the race detector:
//
//	go test -race ./integration/load
//
// They need the servers' buckets; see package bucket.
package load
