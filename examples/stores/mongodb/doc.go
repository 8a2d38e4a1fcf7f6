// Package mongodb is an example of a store in a database of documents: a collection of MongoDB.
//
//	st, err := retry.New(mongodb.New(client.Database("climate").Collection("era5")))
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// A value is one document {_id: KEY, v: VERSION, n: SIZE, b: BYTES}. MongoDB updates a document
// atomically, so a replaceOne whose filter has the version is a conditional Put. A version is
// random, because a counter could return to an earlier number when a server fails and loses its
// last writes. Reads go to the primary: a secondary could report a new chunk as absent, which would
// read as fill values. Writes wait for the majority of the servers.
//
// A document has at most 16 MiB. Put refuses longer values with a [*TooLarge], so chunks and shards
// must be smaller. MongoDB does not return parts of binary data: a Get of a range transfers the
// whole value. The store.Tuning therefore merges the ranges of a shard into one request.
package mongodb
