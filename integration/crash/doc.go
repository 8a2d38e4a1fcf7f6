// Package crash kills writers in the middle of their writes, repeatedly, and checks the stored
// data.
//
// In a directory and in buckets of S3, Google Cloud Storage and Azure Blob Storage, a process with
// five writers replaces whole chunks, changes parts of shared chunks, writes a shard in parts, and
// changes attributes. Each writer writes increasing generation numbers and reports the acknowledged
// ones. After a SIGKILL at a random moment, every chunk and the shard must consist of the last
// acknowledged generation or of the next one, in each part that has one writer. The metadata must
// open, and a listing must contain only metadata, chunks and shards.
//
// Package shared does the same with many concurrent processes. This package contains only tests:
//
//	go test ./integration/crash
package crash
