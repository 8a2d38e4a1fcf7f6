// Package bucketcheck tests the behaviour of a bucket or any other store. It checks that conditions
// hold under a race, that suffixes and ranges are exact, and that listings show preceding writes.
// It also measures how long requests take, and derives settings of the store from the times.
//
//	o := bucketcheck.Options{Open: func(ctx context.Context, inFlight int) (store.Store, error) {
//		return s3.Open(ctx, "s3://bucket/folder", s3.MaxInFlight(inFlight))
//	}}
//	fmt.Println(o.Plan()) // upper bounds of its cost
//	report, err := bucketcheck.Run(ctx, o)
//
// Package storetest tests an implementation of a store against the whole contract, with an empty
// store for each case. This package tests a service, in a bucket that is in use. It writes only
// below a new random prefix, and deletes its objects even when its context has ended.
// [Options.Plan] returns bounds of the numbers of requests, objects and bytes. The report explains
// the consequences of each failed check for Zarr arrays.
//
// [Checks] returns the table of checks. The [Report] has a [Finding] for each check. The command
// "zargo bucket check" prints the Report. If Options.Key is set, Run only reads an existing object
// and writes nothing.
//
// # Concurrency
//
// Run opens its own stores and may be called concurrently with any other use of the bucket. Other
// traffic affects the measured times.
package bucketcheck
