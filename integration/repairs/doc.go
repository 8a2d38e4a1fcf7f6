// Package repairs damages hierarchies in buckets and repairs them there, from other copies too.
//
// The commands validate, hash, diff, census and rm --dry-run are run as a program against S3,
// Google Cloud Storage and Azure Blob Storage. That repairs are conditional is proven on each:
// another writer changes an object between the moment it was found damaged and the one it is
// replaced, and what that stored must stay.
//
// The package has tests only:
//
//	python3 integration/servers/servers.py run s3 gcs azure -- go test ./integration/repairs
package repairs
