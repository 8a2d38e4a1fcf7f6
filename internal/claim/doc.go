// Package claim is the record of a change under way, which the document of an array or a group carries while it lasts: whose change it
// is, since when, and how far it reaches. Everyone else who would change the shape sees it, and waits or gives up. The record is written and
// taken out by conditional puts (see package document). It lies where other implementations pass over it: in zarr.json and in a v2 group's .zattrs
// among the attributes, in .zarray as a member of its own.
//
// Pure: nothing here makes a request.
package claim
