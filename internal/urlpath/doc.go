// Package urlpath parses what the command line names a node by: a path, or the URL of a place in some store.
//
//	l, err := urlpath.Parse("s3://era5/2020/t2m?region=eu-central-1")
//	l.Scheme, l.Host, l.Path, l.Query // "s3", "era5", "2020/t2m", "region=eu-central-1"
//
// A path is the operating system's business and stays as it is written; drive letters are no schemes. In a URL the path
// is a key: percent escapes are decoded, and ".." and back slashes are refused. What follows a "|" ("|zip:inner/path")
// goes into the file that the part before it names.
//
// Errors: [*SyntaxError] for what is no URL, fault.Path for an unsafe key. A Location prints itself without a user, a
// password or parameters, so that messages hold no secrets. The package does no I/O, and Locations are values.
package urlpath
