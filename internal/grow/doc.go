// Package grow changes the shape of arrays: appends to one array or to several arrays of a group,
// rows that come over time, and resizes. Package zarr checks arguments and Go types, and calls it
// with the arrays that it opened, as [Array] and [Group].
//
//	out, err := grow.Append(ctx, array, axis, n, write, grow.Options{Wait: time.Minute})
//
// Every change follows the protocol of ADR 025. It claims the rows in the document of the array, a
// group append in that of the group too. It stores the chunks under the guard of the claim, sets
// the shape and ends the claim in one conditional put. A change that fails gives its claim up and
// records where it may have put objects. An append to a lone array is an append to a group's arrays
// without the document of a group.
//
// Errors are those of package fault and of the store. Package zarr adds the path of a group; those
// of a lone array name it already. All functions are safe for concurrent use. A [Writer] is for one
// goroutine at a time.
package grow
