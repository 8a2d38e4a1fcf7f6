// Package doctest checks comments and Markdown pages against code. A qualified name and a link in a
// comment must name a declaration that exists, and Go code in a doc comment must compile. A relative
// link on a page must lead to a file and a heading, the tests that a page names must exist, and the
// Go code of a task must be code that a test runs. The package's test checks the whole repository.
package doctest
