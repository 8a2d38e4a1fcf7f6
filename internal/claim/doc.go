// Package claim has the two members by which the document of an array or a group says how its
// shape changes. A [Claim] is there while a change is in progress: whose it is, since when, and how
// far it reaches. Every other process that would change the shape finds it, and waits or fails. A
// [Record] stays after changes that were given up or taken over: where their requests may have put
// objects, or may still put some.
//
// Both are written by conditional puts, see package document. Other implementations pass over
// them: in zarr.json and in a v2 group's .zattrs they are among the attributes, in .zarray they
// are members.
//
// Pure: nothing here makes a request.
package claim
