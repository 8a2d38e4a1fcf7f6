// Package checks runs package bucketcheck against the test servers and generates the table of
// results in docs/providers.md.
//
//	python3 integration/servers/servers.py run s3 gcs azure http minio -- go test ./cmd/zargo/internal/bucketcheck/checks -update
//
// The directory testdata contains the output of "zargo bucket check --json", in one file for each
// server. Each file becomes a column of the table, with the name of the file. The output for a real
// cloud can be added as another file.
package checks
