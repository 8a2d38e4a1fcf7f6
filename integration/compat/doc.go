// Package compat tests whether this version can read the stores and the transfer plans that earlier
// releases wrote.
//
// Each directory vX.Y.Z contains files that the release wrote: a directory store, and plan.json,
// the plan of a copy of the store. The directory v0.0.0 is from before the first release. The test
// reads every directory, and compares values, attributes and the contents of the plan. Before each
// release, write a directory for the release with the command below, and commit it. Never change an
// older directory.
//
//	go test ./integration/compat -write v0.1.0
//
// The package contains only tests.
package compat
