// Package doctest checks comments and documentation pages against code. Qualified names and links
// in comments must refer to existing declarations. Go code in doc comments and pages must compile.
// Go code in README.md and docs/start.md must also be run by the tests. The tests of this package
// check the whole module.
package doctest
