// Package load works on one array in S3 with many goroutines at once, through a proxy that counts and, if told to,
// misbehaves: values must be right, nothing lost, no more requests in flight than the store allows, and what is not an
// answer of S3 must be an error and never a fill value.
//
// The package has tests only, which are worth most with the race detector:
//
//	go test -race ./integration/load
//
// They need a bucket; see package bucket.
package load
