// Package conformance holds the conformance suite of stores against a real S3 server: the provider alone, through every
// decorator and through all of them, and with a fault proxy in between that throttles, resets, truncates and loses
// answers.
//
// The tests need the bucket that ZARR_TEST_S3_URL names; see package bucket.
package conformance
