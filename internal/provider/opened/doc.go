// Package opened checks the buckets of gocloud.dev that a program passes to the FromBucket of s3,
// gcs or azure. A provider describes its own driver as a [Driver]; [Driver.Check] then finds
// buckets whose requests a store would not repeat.
//
// A Driver may be used concurrently.
package opened
