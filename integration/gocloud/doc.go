// Package gocloud compares the cost of gocloud.dev's portable calls with that of zargo's stores, on
// the servers of package bucket: the requests of each method with their parameters, and their
// allocations.
//
//	python3 integration/servers/servers.py run s3 gcs azure -- go test ./integration/gocloud            # compares with docs/providers.md
//	… go test ./integration/gocloud -update                                                               # writes it
//	… go test ./integration/gocloud -run '^$' -bench .                                                    # times and bytes
//
// Requests are compared exactly. Allocations are the minimum over several calls whose responses are
// replayed from memory. They may differ from the documented numbers by one percent, and depend on
// the versions of Go, of the libraries and of the servers. Times are only published.
package gocloud
