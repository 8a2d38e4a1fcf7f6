// Package all opens every kind of store that this module has from a URL: paths and file://, mem://,
// http:// and https://, s3://, gs:// and azblob://.
//
//	st, err := all.Mux().Open(ctx, "s3://era5/2020?region=eu-central-1")
//
// A program that imports it links the SDKs of all providers. One that needs fewer imports package
// openurl and the packages of its providers instead: openurl itself links no SDK.
//
// The result is an [openurl.Mux], a map that a program may change before it uses it: delete a scheme
// to refuse it, or set one to open it otherwise. Errors and concurrency are those of package openurl.
package all
