// Package pages makes an iterator of a listing in pages.
//
//	for e, err := range pages.All(page, otherwise) {
//		fmt.Println(e, err)
//	}
//
// An iterator is for one goroutine.
package pages
