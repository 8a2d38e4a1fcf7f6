// Package claim is the record of a change under way, which the document of an array or a group carries while it lasts: whose change it
// is, since when, and how far it reaches. Everyone else who would change the shape sees it, and waits or gives up. The record is one
// member of the document, written and taken out by conditional puts (see package document); others may ignore it, as its must_understand says.
//
// Pure: nothing here makes a request.
package claim
