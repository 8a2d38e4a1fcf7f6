// Package doctest checks comments and documentation pages against code. A qualified name and a link
// in a comment must name a declaration that exists. Go code in a doc comment or a page must
// compile. Go code in README.md and docs/start.md must be code that the tests run. The package's
// tests check the whole module.
package doctest
