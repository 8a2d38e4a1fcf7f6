// Package array joins the documents of an array with the engine that reads and writes its objects.
// Package zarr adds Go types and selections to an [Array], and package grow changes its shape.
//
//	a := array.New(at, array.Options{Limits: limits}) // at is an opened node.Node
//	err := a.Write(ctx, bytes, region)
//
// An Array is immutable and safe for concurrent use. Errors name the store and the path of the
// array, except those of methods that say otherwise.
package array
