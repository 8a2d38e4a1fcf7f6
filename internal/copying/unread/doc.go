// Package unread describes what a walk of a hierarchy does not open: nodes that this version does
// not support, and keys that belong to no node.
//
// [Of] returns the documents of a node that cannot be opened, for example because of an unknown
// codec. Its objects can be copied and compared as they are stored.
//
// [Keys] lists the groups of a hierarchy and returns the keys that belong to none of the given
// nodes. It does not use the walk that found the nodes, so it finds nodes that the walk left out.
//
// Functions of this package are safe for concurrent use. Errors are those of the store.
package unread
