// Package openurl opens the store that a URL names: a directory, or a bucket of any provider.
//
//	st, err := openurl.Open(ctx, "gs://bucket/folder?anonymous=true")
//
// It links every provider, some 50 MB. A program of your own calls the one function that it needs: s3.Open, gcs.Open,
// azure.Open or dir.New; docs/tuning.md, table 3, says what each weighs.
//
// Errors are those of the provider's Open, and errors.ErrUnsupported for a scheme that nobody here knows.
package openurl
