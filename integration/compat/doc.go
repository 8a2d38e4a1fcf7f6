// Package compat tests that stores and transfer plans of earlier releases can be read.
//
// Each directory vX.Y.Z contains files that the release wrote: a directory store, and plan.json,
// the plan of a copy of the store. v0.0.0 is from before the first release. The test reads every
// directory and compares values, attributes and the plan's contents. Before a release, write its
// directory and commit it. Never change an older directory.
//
//	go test ./integration/compat -write v0.1.0
//
// The package contains only tests.
package compat
