// Command draw prints the imports between the packages of this module as a Mermaid flowchart, for
// docs/architecture.md:
//
//	go run ./internal/archtest/draw
//
// With the argument of a package, such as ./zarr, it draws the dependencies between its files.
package main
