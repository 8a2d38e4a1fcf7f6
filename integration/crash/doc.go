// Package crash kills writers in the middle of their writes, again and again, and looks at what
// they left.
//
// In a folder and in buckets of S3, Google Cloud Storage and Azure Blob Storage, five writers in a
// process of their own replace whole chunks, change parts of chunks that they share, send a shard
// in parts, and change attributes, each with one generation number after the other, and say which
// generations were acknowledged. After a SIGKILL at a random moment every chunk and the shard must
// be wholly of the last acknowledged generation or of the one after it, in each part that has one
// writer; the metadata must open, and a listing must show nothing but metadata, chunks and shards.
//
// Package shared does it to many processes at once.
//
// The package has tests only:
//
//	go test ./integration/crash
package crash
