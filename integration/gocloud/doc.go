// Package gocloud measures what gocloud.dev's portable calls cost beside zargo's own form of the
// same verb, on the servers that package bucket names: the requests of each, with what they ask,
// and their allocations.
//
//	python3 integration/servers/servers.py run s3 gcs azure -- go test ./integration/gocloud            # compares with docs/providers.md
//	… go test ./integration/gocloud -update                                                               # writes it
//	… go test ./integration/gocloud -run '^$' -bench .                                                    # times and bytes
//
// Requests are compared exactly. Allocations are the fewest of a call whose requests are answered
// from memory with what the server had answered; they are compared to one in a hundred, and belong
// to one version of Go, of the libraries and of the servers. Times are published and never
// compared.
package gocloud
