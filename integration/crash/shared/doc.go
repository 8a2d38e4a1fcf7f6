// Package shared tests processes that together write one array in a directory, and kills some of
// them.
//
// Of sixteen processes, eight replace whole chunks and eight change parts of the same chunks. One
// of them is killed and replaced every few milliseconds, 324 times. Each process reads back every
// acknowledged write, and at the end all acknowledged elements are compared.
//
// The package contains only tests. It does not link cloud packages, so that its processes start
// quickly:
//
//	go test ./integration/crash/shared
package shared
