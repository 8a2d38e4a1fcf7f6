// Package fake contains the common tests of s3, gcs, azure and zarr/store/http, and a web server
// that simulates a provider and records requests.
//
//	func TestFailures(t *testing.T) { fake.Failures(t, provider()) }
//
// The package is for tests of this module only. A Server is safe for concurrent use.
package fake
