// Package archtest has the table of allowed imports and the tests that enforce it.
//
//	pkgs, err := archtest.Load(ctx, ".", "./...")
//	for _, v := range archtest.Check(pkgs, archtest.Table()) {
//		fmt.Println(v) // zarr/meta may not import zarr/store
//	}
//
// Change [Table] when a package is added or needs another import. The tests also enforce rules
// about source code: one package comment, in doc.go; no init functions; unsafe only in
// internal/bytesview; no assignments to package variables. [Mermaid] draws the imports. [Parse]
// loads one package to examine which files depend on each other and which make requests. For
// packages zarr and engine these numbers have limits that may only decrease.
//
// All functions are safe for concurrent use.
package archtest
