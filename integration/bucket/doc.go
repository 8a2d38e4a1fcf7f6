// Package bucket gives a test a place of its own in the S3 bucket that ZARR_TEST_S3_URL names.
//
//	url := bucket.URL(t)     // s3://zarr-test/test-4f2a…?endpoint=http://127.0.0.1:9000&…
//	st := bucket.Open(t, url)
//
// Credentials are in AWS_*, as for every S3 client. Without the variable the test is skipped, or fails when CI=true: a
// server that should be there and is not must not pass for a success.
//
// The functions are for the goroutine that runs the test.
package bucket
