// Package pages converts a listing that is requested in pages to an iterator.
//
//	for e, err := range pages.All(page, fallback) {
//		fmt.Println(e, err)
//	}
//
// An iterator must be used by one goroutine at a time.
package pages
