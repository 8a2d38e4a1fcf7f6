package store

// Listings are a provider's guarantees about its listings. A store provides them through [As].
type Listings struct {
	// Ordered means that keys are listed in byte order across all pages. It also means that
	// StartAfter is sent to the provider, so that a listing from the middle costs only its own
	// pages. [ListAll] divides such listings into several concurrent ones.
	Ordered bool
	// Complete means that a listing contains every key that existed from its start to its end, no
	// matter which process wrote it. A key missing from a listing that ended without an error is
	// proven absent.
	Complete bool
}

// ListingsOf returns the guarantees of s's provider. It makes no request. If the store provides
// none, it returns the zero Listings.
func ListingsOf(s Store) (l Listings) {
	As(s, &l)
	return l
}
