package store

// Listings are a provider's guarantees about listings. A store provides them through [As].
type Listings struct {
	// Ordered: keys are listed in byte order, page after page, and StartAfter is sent to the
	// provider, so a listing from the middle costs only its own pages. [ListAll] divides such
	// listings into several concurrent ones.
	Ordered bool
	// Complete: a listing contains every key that existed from its start to its end, whichever
	// process wrote it. A key missing from a listing that ended without an error is proven absent.
	Complete bool
}

// ListingsOf returns the guarantees of s's provider, without a request. Without any provided, it
// returns the zero Listings.
func ListingsOf(s Store) (l Listings) {
	As(s, &l)
	return l
}
