// Package pages makes an iterator of a listing that is requested in pages.
//
//	for e, err := range pages.All(page, otherwise) {
//		fmt.Println(e, err)
//	}
//
// An iterator must be used by one goroutine.
package pages
