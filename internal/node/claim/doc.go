// Package claim defines the two members by which the document of an array or a group records
// changes of its shape.
//
// A [Claim] is in the document while a change is in progress. It has the identity of the change,
// the time at which the change began, and the affected extent. If a process that wants to change
// the shape finds the claim of another process, it waits or fails.
//
// A [Record] remains after a change was abandoned or taken over. It contains the regions where
// requests of that change may have put objects, or may still put objects.
//
// Claims and records are written by conditional puts; see package document. In zarr.json and in the
// .zattrs of a v2 group they are attributes, and in .zarray they are members. Other implementations
// ignore them.
//
// The package is pure: it makes no requests.
package claim
