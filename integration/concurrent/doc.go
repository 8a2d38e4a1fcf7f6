// Package concurrent measures concurrent writes to a directory. Each process writes its own part of
// one chunk or of one shard, or appends its own row, all at the same moment. The tests require that
// every write of zargo is stored.
//
// The package also measures other implementations and prints the table of
// docs/evidence/concurrent-writes.md. It requires nothing of them:
//
//	make concurrent-writes RUNS=5
//
// The other implementations run in the Pythons of package servers.
package concurrent
