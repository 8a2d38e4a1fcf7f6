// Package pages makes one sequence of a listing in pages.
//
//	for e, err := range pages.All(page, otherwise) {
//		fmt.Println(e, err)
//	}
//
// A sequence may be read by one goroutine.
package pages
