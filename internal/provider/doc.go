// Package provider is what the packages that open one provider's stores (s3, gcs, azure,
// zarr/store/http) have in common: URLs and their parameters, mistakes in them, the kinds of
// failures without a response, the meaning of responses, the connections to a bucket, their
// addresses, redirects and stall limit, the options and the layers around a store, and the steps of
// an Open.
//
//	place, err := provider.Form{Scheme: "s3", Article: "an"}.Parse(url)
//	err = provider.Params{Texts: map[string]*string{}}.Set(place.Query)
//
// It knows no SDK, and nothing that differs between providers: their codes and conditions are in
// their packages. All of it may be used from any number of goroutines. What their tests have in
// common is in package fake.
package provider
