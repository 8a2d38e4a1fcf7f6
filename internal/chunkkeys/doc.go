// Package chunkkeys classifies the keys below an array: the key of a chunk of its grid, of a chunk
// beyond the grid, or of a chunk under another key encoding. Shards count as chunks here.
//
// The package is pure: it makes no requests.
package chunkkeys
