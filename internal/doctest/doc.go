// Package doctest checks comments against code. A qualified name and a link in a comment must name
// a declaration that exists, and Go code in a doc comment must compile. The package's test checks
// the whole module.
package doctest
