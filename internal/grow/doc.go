// Package grow changes the shape of arrays. It appends rows to one array or to several arrays of a
// group, appends rows that arrive over time, and resizes arrays. Package zarr checks arguments and
// Go types, and passes opened arrays and groups to this package as [array.Array] and [Group].
//
//	out, err := grow.Append(ctx, array, axis, n, write, grow.Options{Wait: time.Minute})
//
// Every change follows the protocol of ADR 025:
//
//   - It claims the rows in the document of the array. A group append first claims the group.
//   - It stores the chunks, guarded by the claim.
//   - It sets the shape and ends the claim in one conditional put.
//   - If it fails, it ends the claim and records where it may have put objects.
//
// An append to one array uses the code of a group append, but no document of a group.
//
// Errors are those of package fault and of the store. Errors about one array contain its path.
// Package zarr adds the path of a group. All functions are safe for concurrent use, but a [Writer]
// is not.
package grow
