// Package openurl opens the store that a URL identifies. The program chooses the kinds of stores
// that it supports.
//
//	stores := openurl.Mux{
//		"file": openurl.Dir(), // and paths
//		"s3":   openurl.With(s3.Open),
//		"gs":   openurl.With(gcs.Open, gcs.Anonymous()),
//	}
//	st, err := stores.Open(ctx, "s3://era5/2020?region=eu-central-1")
//
// A [Mux] opens only the schemes that it contains. This package links no cloud SDK and has no
// global registry, so a service that accepts URLs from others can leave out directories and web
// servers. [Builtin] returns the openers that need no SDK: paths and file://, mem://, http:// and
// https://. A zip archive in any store is opened as "URL|zip:folder/in/it". The Mux of package
// openurl/all has the openers of all providers.
//
// A file path is passed to the operating system unchanged, and its drive letter is not taken for a
// scheme. The path of a URL is a key: percent escapes are decoded, and ".." and backslashes are
// rejected. [Parse] also accepts the URL forms of other tools, such as gcs://, az:// and abfss://.
//
// A malformed URL returns [*SyntaxError], an unsafe key returns fault.Path, and a scheme that is
// not in the Mux returns errors.ErrUnsupported. Other errors are those of the provider's Open.
// [Location.String] omits users, passwords and parameters, so that messages do not contain secrets.
//
// A Mux is safe for concurrent use as long as it is not modified. See also packages s3, gcs, azure,
// and dir, mem, zip and http below zarr/store.
package openurl
