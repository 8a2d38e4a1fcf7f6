// Package claim defines the two members by which the document of an array or a group records
// changes of its shape.
//
// A [Claim] is in the document while a change is in progress. It records which change that is,
// when it began and how far it reaches. Another process that wants to change the shape finds the
// claim, and waits or fails.
//
// A [Record] remains after a change was given up or taken over. It records where requests of that
// change may have put objects, or may still put some.
//
// Both are written by conditional puts, see package document. They are attributes in zarr.json and
// in the .zattrs of a v2 group, and members of .zarray. Other implementations ignore them.
//
// Pure: the package makes no requests.
package claim
