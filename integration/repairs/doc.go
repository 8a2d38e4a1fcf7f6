// Package repairs damages hierarchies in buckets and repairs them there, also from other copies.
//
// It runs the commands validate, hash, diff, census and rm --dry-run as a program against S3,
// Google Cloud Storage and Azure Blob Storage. On each it checks that repairs are conditional: if
// another writer changes an object after it was found damaged and before it is replaced, the value
// of the other writer remains.
//
// The package contains only tests:
//
//	python3 integration/servers/servers.py run s3 gcs azure -- go test ./integration/repairs
package repairs
