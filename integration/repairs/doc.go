// Package repairs tests the repair of damaged hierarchies in buckets, from the hierarchy itself and
// from copies.
//
// It runs the zargo commands validate, hash, diff, census and rm --dry-run on S3, Google Cloud
// Storage and Azure Blob Storage. On each provider it checks that repairs are conditional: if
// another writer changes an object after it was found damaged and before it is replaced, the value
// of the other writer remains.
//
// The package contains only tests:
//
//	python3 integration/servers/servers.py run s3 gcs azure -- go test ./integration/repairs
package repairs
