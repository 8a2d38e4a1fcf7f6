package store

// Listings says what a provider promises of listings. A store gives it through [As].
type Listings struct {
	// Ordered: keys come in the order of their bytes, page after page, and StartAfter is asked of
	// the provider, so that a listing from the middle costs its own pages only. [ListAll] divides
	// such listings among several.
	Ordered bool
	// Complete: a listing has every key that was there when it began and stays until it ends,
	// whichever process put it. What a complete listing that ended without an error does not have
	// is proven absent.
	Complete bool
}

// ListingsOf gives what the provider of s promises: nothing unless it says so. It makes no request.
func ListingsOf(s Store) (l Listings) {
	As(s, &l)
	return l
}
