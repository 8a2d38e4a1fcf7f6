// Package claim defines the two members by which the document of an array or a group records
// changes of its shape.
//
// A [Claim] is in the document while a change is in progress. It identifies the change, when it
// began, and the extent that it affects. A process that wants to change the shape and finds the
// claim of another process waits or fails.
//
// A [Record] remains after a change was abandoned or taken over. It contains the regions where
// requests of that change may have put objects, or may still put objects.
//
// Both are written by conditional puts; see package document. They are attributes in zarr.json and
// in the .zattrs of a v2 group, and members of .zarray. Other implementations ignore them.
//
// The package is pure: it makes no requests.
package claim
