// Package checks runs package bucketcheck against the servers of the tests, and makes the table in
// docs/providers.md of what was found.
//
//	python3 integration/servers/servers.py run s3 gcs azure http minio -- go test ./integration/checks -update
//
// testdata has what "zargo bucket check --json" prints, a file for each server, which is a column
// of the table by the file's name. A file of a real cloud that is put there becomes a column too.
package checks
