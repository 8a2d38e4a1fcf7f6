// Package wrapped contains the tests of FromBucket that s3, gcs and azure share. They wrap buckets
// of gocloud.dev with prefixes and with drivers.
//
// # Concurrency
//
// The functions must be called by one goroutine.
package wrapped
