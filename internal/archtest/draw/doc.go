// Command draw prints the imports between the packages of this module as a Mermaid flowchart, for
// docs/architecture.md:
//
//	go run ./internal/archtest/draw
//
// Given a package, such as ./zarr, it draws which of its files need which.
package main
