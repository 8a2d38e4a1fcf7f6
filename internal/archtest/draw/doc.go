// Command draw prints the imports between the packages of this module as a Mermaid flowchart, for docs/architecture.md:
//
//	go run ./internal/archtest/draw
package main
