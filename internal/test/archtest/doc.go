// Package archtest has the table of allowed imports and the tests that enforce it.
//
//	pkgs, err := archtest.Load(ctx, ".", "./...")
//	for _, v := range archtest.Check(pkgs, archtest.Table()) {
//		fmt.Println(v) // zarr/meta may not import zarr/store
//	}
//
// Change [Table] when a package is added or needs another import. The tests also enforce rules
// about source code: one package comment, in doc.go; no init functions; unsafe only in
// internal/bits/bytesview; no assignments to package variables. [Mermaid] draws the imports.
// [Parse] loads one package, to find the dependencies between its files and the files that make
// requests. Tests limit the number of such files and the length of their chains in packages zarr
// and engine. These limits may only decrease.
//
// All functions are safe for concurrent use.
package archtest
