// Command means computes means along the first axis of an array, for example daily means of hourly
// values, and writes them to another array in the same or another store.
//
//	go run ./examples/means -every 24 's3://bucket/hourly/t2m?region=eu-central-1' 'gs://bucket/daily/t2m'
//	go run ./examples/means -every 24 -tasks 4 hourly.zarr/t2m daily.zarr/t2m
//
// Each URL names an array: s3://, gs://, azblob:// or a directory. The work is divided along the
// chunks of the target array. Each task writes one whole chunk without reading it, so no two tasks
// write to the same chunk. A task reads the source chunks that overlap its region. If the length of
// a source chunk is a multiple or a divisor of -every, each source chunk is read once.
//
// A task holds its region of the source array in memory, and reads the chunks of the region
// concurrently. Up to -tasks tasks run concurrently. All tasks share the limits of the store and of
// the process. An interrupted run can be repeated.
//
// The data type must be float32 or float64. The mean of values that include a NaN is NaN. If -every
// does not divide the length of the axis, the last mean is that of the remaining values.
package main
