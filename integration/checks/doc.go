// Package checks runs package bucketcheck against the test servers and generates the table of
// results in docs/providers.md.
//
//	python3 integration/servers/servers.py run s3 gcs azure http minio -- go test ./integration/checks -update
//
// testdata has the output of "zargo bucket check --json", one file per server. Each file is a
// column of the table, named after the file. The output for a real cloud can be added as another
// file.
package checks
