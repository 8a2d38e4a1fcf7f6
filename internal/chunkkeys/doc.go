// Package chunkkeys says what a key below an array is: a chunk of its grid, one beyond it, or the
// key that a chunk would have under another layout. Shards count as chunks here.
//
// Pure: nothing here makes a request.
package chunkkeys
