// Package fake is what the tests of s3, gcs, azure and zarr/store/http have in common: a recording
// web server that plays a provider, and the failures, connections and writes that each of them is
// held to.
//
//	func TestFailures(t *testing.T) { fake.Failures(t, provider()) }
//
// It is for tests of this module alone. A Server may be used from any number of goroutines.
package fake
