// Package archtest holds the table of who may import whom, and the tests that keep the code to it.
//
//	pkgs, err := archtest.Load(ctx, ".", "./...")
//	for _, v := range archtest.Check(pkgs, archtest.Table()) {
//		fmt.Println(v) // zarr/meta may not import zarr/store
//	}
//
// [Table] is the place to change when a package is added or is to import another one. The tests
// also hold the rules that no import shows: one package comment, in doc.go; no init; unsafe in
// internal/bytesview alone; no package variable that is assigned to. [Mermaid] draws what is there.
// [Parse] looks within a package, at which files need which others and which send requests: package
// zarr is held to numbers that may only shrink.
//
// Everything here may be used concurrently.
package archtest
