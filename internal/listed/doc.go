// Package listed provides a store for the objects of one array. The store lists the array to save
// requests: it skips gets and deletes of objects that a complete listing has shown to be absent. A
// listing takes one request for many keys. If few objects are absent, a listing costs more than the
// requests that it saves.
//
//	s := listed.New(below, a.Path())
//	s.Describe(a.Metadata().Keys, a.GridShape())
//	err := s.Learn(ctx)
//
// Only a listing that is complete (see [store.Listings]) and ended without an error proves absence.
// Requests for keys that are not positions of the grid are always sent.
package listed
