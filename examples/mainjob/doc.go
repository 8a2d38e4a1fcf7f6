// Package mainjob is the job that several example programs run on a store. It creates an array,
// writes it by regions, opens it again, reads it by regions and checks every value. It writes and
// reads the array twice: first one chunk at a time, and then many chunks concurrently. It prints
// the time and the requests of each pass.
//
//	job := mainjob.Job{Path: "demo/values", MiB: 256, Out: os.Stdout}
//	err := job.Run(ctx, dir.New("data.zarr"))
//
// Every number printed is measured in that run. Run is safe for concurrent use on different paths.
// If a value is wrong, the error contains its position and the expected value. Other errors are
// those of package zarr.
package mainjob
