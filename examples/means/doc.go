// Command means makes means along the first axis of an array, such as days out of hours, and writes
// them to another array, in the same store or another one.
//
//	go run ./examples/means -every 24 's3://bucket/hourly/t2m?region=eu-central-1' 'gs://bucket/daily/t2m'
//	go run ./examples/means -every 24 -tasks 4 hourly.zarr/t2m daily.zarr/t2m
//
// Each URL names an array: s3://, gs://, azblob:// or a directory. The work is cut along the chunks
// of the new array, so that every task writes one chunk, whole and unread, and no two tasks meet. A
// chunk of the new array is made of the old chunks that lie above it: where their length is a
// multiple of -every, or the other way round, each old chunk is read once.
//
// A task holds its region of the old array in memory, and there are -tasks of them at once. Within
// a task the chunks are read many at once, and all tasks share the limits of the store and of the
// process. A run that was stopped can be repeated.
//
// The data type is float32 or float64. A mean with a NaN in it is NaN. Where -every does not divide
// the axis, the last mean is of what is left.
package main
