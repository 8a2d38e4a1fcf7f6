// Package mainjob is what the example programs do with a store: create an array, write it by
// regions, open it again, read it by regions, check every value, and print what that took, one
// chunk at a time and many at once.
//
//	job := mainjob.Job{Path: "demo/values", MiB: 256, Out: os.Stdout}
//	err := job.Run(ctx, dir.New("data.zarr"))
//
// Every number printed is measured in that run. A Job is a value; Run may be called from any number
// of goroutines on different paths. A wrong value is an error that says where it was and what it
// should have been; other errors are those of package zarr.
package mainjob
