// Package provider contains the common code of the packages s3, gcs, azure and zarr/store/http. It
// parses URLs and their parameters, and classifies failures and responses. It configures
// connections, redirects and stall limits. It also contains the common options, the layers around a
// store, and the steps of opening a store.
//
//	place, err := provider.Form{Scheme: "s3", Article: "an"}.Parse(url)
//	err = provider.Params{Texts: map[string]*string{}}.Set(place.Query)
//
// The package does not depend on an SDK. The packages of the providers contain the error codes and
// conditions that differ between providers. Package fake contains the common code of their tests.
//
// # Concurrency
//
// The package is safe for concurrent use.
package provider
