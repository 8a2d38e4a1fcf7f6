// Package follow changes the attributes of stored arrays and of the groups above them after an
// append, a resize or a write. Package derived computes the attributes.
//
// After an append or a resize, the attributes are a second change: a process that is killed between
// both changes leaves the old attributes. Before a write into existing elements, its attributes are
// dropped first, so that they are never untrue.
//
// # Concurrency
//
// All functions are safe for concurrent use by goroutines and processes. A change of the attributes
// by another process at the same time is kept.
package follow
