// Package openurl opens the store that a URL names, in a program that says which kinds of stores
// there are.
//
//	stores := openurl.Mux{
//		"file": openurl.Dir(), // and paths
//		"s3":   openurl.With(s3.Open),
//		"gs":   openurl.With(gcs.Open, gcs.Anonymous()),
//	}
//	st, err := stores.Open(ctx, "s3://era5/2020?region=eu-central-1")
//
// A [Mux] opens nothing but what is in it: this package links no cloud SDK, nothing registers
// itself, and a service that takes URLs from others keeps directories and web servers closed by
// leaving them out. [Builtin] has what needs no SDK: paths and file://, mem://, http:// and
// https://. A zip archive in any of them is opened as "URL|zip:folder/in/it". Package openurl/all
// has every provider.
//
// A path is the operating system's business and stays as it is written; drive letters are no
// schemes. In a URL the path is a key: percent escapes are decoded, and ".." and back slashes are
// refused. The forms that other tools have for the same places, such as gcs://, az:// and abfss://,
// are understood ([Parse] lists them).
//
// Errors: [*SyntaxError] for what is no URL, fault.Path for an unsafe key, errors.ErrUnsupported
// for a scheme that is not in the Mux; else those of the provider's Open. A [Location] prints
// itself without a user, a password or parameters, so that messages hold no secrets.
//
// A Mux may be used from any number of goroutines as long as none changes it. See also packages s3,
// gcs, azure, and dir, mem, zip and http below zarr/store.
package openurl
