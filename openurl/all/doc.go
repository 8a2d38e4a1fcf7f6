// Package all opens every kind of store of this module from a URL: paths and file://, mem://,
// http:// and https://, s3://, gs:// and azblob://.
//
//	st, err := all.Mux().Open(ctx, "s3://era5/2020?region=eu-central-1")
//
// A program that imports it links the SDKs of all providers. A program that needs fewer imports
// package openurl and the packages of its providers instead; openurl links no SDK.
//
// The result is an [openurl.Mux], a map that a program may modify before it uses it: it may delete
// a scheme, or replace its opener. Errors and concurrency are those of package openurl.
package all
