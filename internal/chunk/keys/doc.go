// Package keys classifies the keys below an array. A key may belong to a chunk of the grid, to
// a chunk beyond the grid, or to a chunk under another key encoding. Shards count as chunks.
//
// The package is pure: it makes no requests.
package keys
