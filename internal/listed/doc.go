// Package listed is a store of the objects of one array that sends no request of which a listing
// proves the outcome: an object that is not in a complete listing is absent, so it is neither read
// nor deleted. A listing is one request for many keys; where few objects are absent it is not worth
// that.
//
//	s := listed.New(below, a.Path())
//	s.Describe(a.Metadata().Keys, a.GridShape())
//	err := s.Learn(ctx)
//
// Absence is only proven by a listing that is complete ([store.Listings]) and ended without an
// error. Of keys that are no positions of the grid nothing is said: they are asked for.
package listed
