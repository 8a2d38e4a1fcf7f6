// Package listed provides a store for the objects of one array. The store lists the array to save
// requests: it skips gets and deletes of objects that a complete listing has shown to be absent.
// One request of a listing returns many keys. If few objects are absent, a listing costs more
// requests than it saves.
//
//	s := listed.New(below, a.Path())
//	s.Describe(a.Metadata().Keys, a.GridShape())
//	err := s.Learn(ctx)
//
// Only a complete listing (see [store.Listings]) that ended without an error proves absence. In a
// directory such a listing takes longer, and fails while files change; the Store then sends all
// requests.
// Requests for keys that are not positions of the grid are always sent.
package listed
