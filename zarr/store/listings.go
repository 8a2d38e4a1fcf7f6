package store

// Listings are a provider's guarantees about its listings. A store provides them through [As].
type Listings struct {
	// Ordered means that keys are listed in byte order across all pages. It also means that the
	// store sends StartAfter to the provider, so that a listing from the middle costs no pages
	// before StartAfter. [ListAll] divides ordered listings into concurrent ones.
	Ordered bool
	// Complete means that a listing contains every key that existed from its start to its end, no
	// matter which process wrote it. A key missing from a listing that ended without an error is
	// proven absent.
	Complete bool
	// Proves means that a listing with [ListOptions.Complete] either contains every such key, or
	// ends with an error.
	Proves bool
}

// ListingsOf returns the guarantees that s provides, without making a request. It returns the zero
// Listings if s provides none.
func ListingsOf(s Store) (l Listings) {
	As(s, &l)
	return l
}
