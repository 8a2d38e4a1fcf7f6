// Package shared kills processes that write one array in a folder together.
//
// Of sixteen processes eight replace whole chunks and eight change parts of the same chunks. One of
// them is killed and replaced every few milliseconds, 324 times. Each looks after every
// acknowledged write whether it is there, and at the end all acknowledged elements are compared.
//
// The package has tests only, and links no cloud, so that its processes begin quickly:
//
//	go test ./integration/crash/shared
package shared
