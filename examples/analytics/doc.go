// Command analytics is an HTTP service that answers questions about arrays it has opened once, with
// a bound on its memory and on the time of each request.
//
//	go run ./examples/analytics -budget 64 -timeout 5s t2m='s3://bucket/t2m?region=eu-central-1' local=data.zarr/x
//
//	GET /stats?array=t2m&region=0:24,:,180      {"count": 17304, "mean": 271.9, "min": 250.1, "max": 303.4}
//	GET /mean?array=t2m&region=0:24             {"mean": 278.3}
//	GET /point?array=t2m&region=3,90,180        {"value": 271.3}
//	GET /arrays                                 what there is
//
// A region is read chunk by chunk, and nothing of it is kept but sums. The budget is one value for
// the whole service, in two halves: decoded blocks, which a request reserves before it reads one,
// and encoded chunks, which the library reserves (zarr.Limits.Shared). Both count all requests together: a
// thousand of them use no more memory than a few, they wait. What is beside it: the library's
// scratch memory, about a chunk or two for each core, and what net/http takes for a connection.
//
// Statuses: 404 for an unknown array, 400 for a region that does not fit, 413 for more than -most
// elements, 503 when the bucket throttles, 504 past the deadline, which ends the reads that are
// under way, and the wait for the budget.
package main
