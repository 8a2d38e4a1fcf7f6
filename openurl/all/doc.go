// Package all opens every kind of store of this module from a URL: paths and file://, mem://,
// http:// and https://, s3://, gs:// and azblob://.
//
//	st, err := all.Mux().Open(ctx, "s3://era5/2020?region=eu-central-1")
//
// A program that imports this package links the SDKs of all providers. To link fewer SDKs, import
// package openurl and the packages of the needed providers instead; openurl itself links no SDK.
//
// An [openurl.Mux] is a map that a program may modify before use, for example to delete a scheme or
// to replace an opener. Errors and concurrency are those of package openurl.
package all
