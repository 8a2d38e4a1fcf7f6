// Command analytics is an HTTP service that computes statistics of arrays. It limits its memory,
// and the time of each request. It opens the arrays when it starts.
//
//	go run ./examples/analytics -budget 64 -timeout 5s t2m='s3://bucket/t2m?region=eu-central-1' local=data.zarr/x
//
//	GET /stats?array=t2m&region=0:24,:,180      {"count": 17304, "mean": 271.9, "min": 250.1, "max": 303.4}
//	GET /mean?array=t2m&region=0:24             {"mean": 278.3}
//	GET /point?array=t2m&region=3,90,180        {"value": 271.3}
//	GET /arrays                                 all arrays
//
// The service reads a region chunk by chunk and keeps only sums. The budget applies to the whole
// service, in two halves. Requests reserve memory for decoded blocks from one half before they read
// a block. The library reserves memory for encoded chunks from the other half (zarr.Limits.Shared).
// All requests share both halves and wait for memory, so a thousand requests use no more memory
// than a few requests. The budget does not include the scratch memory of the library, about one or
// two chunks per core, and the memory of net/http for each connection.
//
// The status of a failed request is 404 for an unknown array, 400 for an invalid region, 413 for
// more than -most elements, 503 if the bucket throttles, and 504 after the deadline. The deadline
// also ends reads in flight and waits for memory.
package main
