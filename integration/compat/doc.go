// Package compat tests that stores and transfer plans of earlier releases can be read.
//
// Each directory vX.Y.Z (v0.0.0: before the first release) contains files that the release wrote: a
// directory store, and plan.json, the plan of a copy of the store. The test reads every directory
// and compares values, attributes and the plan's contents. Before a release, write its directory
// and commit it; never change an older one:
//
//	go test ./integration/compat -write v0.1.0
//
// The package has tests only.
package compat
