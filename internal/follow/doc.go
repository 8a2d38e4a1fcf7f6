// Package follow changes the attributes of stored arrays and of their group after an append, a
// resize or a write. Package derived computes the attributes. The package stores them as a second
// change, after the elements: a process that is killed between both changes leaves the old
// attributes.
//
// # Concurrency
//
// All functions are safe for concurrent use by goroutines and processes. A change of the attributes
// by another process at the same time is kept.
package follow
