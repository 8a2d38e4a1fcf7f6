// Package bucketcheck finds out what a bucket, or any other store, really does: whether conditions
// hold under a race, whether tails and ranges are exact, whether listings show what was written,
// how long requests take, and which numbers follow from that.
//
//	o := bucketcheck.Options{Open: func(ctx context.Context, inFlight int) (store.Store, error) {
//		return s3.Open(ctx, "s3://bucket/folder", s3.MaxInFlight(inFlight))
//	}}
//	fmt.Println(o.Plan()) // the most that it takes
//	report, err := bucketcheck.Run(ctx, o)
//
// Package storetest holds an implementation of a store to all of its contract, in a test and with
// an empty store for each case. This package asks what a service answers, in a place that is in
// use: it writes below a new random prefix and nowhere else, has a bound on requests, objects and
// bytes that is known before it starts, says in plain words what a broken promise means for Zarr
// arrays, and deletes what it wrote, also when its context ends.
//
// The checks are a table ([Checks]); each is a [Finding] in the [Report]. The command "zargo bucket
// check" prints it. With Options.Key nothing is written: an object that is there already is read.
//
// A Run makes its requests through stores of its own and may be called concurrently with anything
// else; while others use the bucket the figures of speed are theirs as well.
package bucketcheck
