// Command draw prints the imports between the packages of this module as a Mermaid flowchart, for
// docs/architecture.md:
//
//	go run ./internal/test/archtest/draw
//
// With a package as its argument, such as ./zarr, draw prints the dependencies between the files of
// that package.
package main
