// Package crash kills writers in the middle of their writes, repeatedly, and checks the stored
// data.
//
// In a directory and in buckets of S3, Google Cloud Storage and Azure Blob Storage, a process with
// five writers replaces whole chunks, changes parts of shared chunks, writes a shard in parts, and
// changes attributes. Each writer writes increasing generation numbers, and reports each number
// when its write is acknowledged. The process is killed at a random moment by SIGKILL. Each part of
// a chunk or the shard that has one writer must then contain the last acknowledged generation or
// the next one. The metadata must open, and a listing must contain only metadata, chunks and
// shards.
//
// Package shared does the same with many concurrent processes. This package contains only tests:
//
//	go test ./integration/crash
package crash
