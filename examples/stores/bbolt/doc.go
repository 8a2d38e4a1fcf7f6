// Package bbolt is an example of a store in an embedded database: a file of go.etcd.io/bbolt.
//
//	st, err := bbolt.Open("era5.db")
//	a, err := zarr.OpenArray(ctx, st, "t2m")
//
// All values are in one bucket of the database. A stored value is its version in 8 bytes, followed
// by the bytes of the value. A version is the sequence number of the bucket at the time of the
// write. bbolt increases the number in the transaction of the write and never reuses it, so that a
// version identifies one value even if the key was deleted in between.
//
// A conditional Put compares the version and writes in one transaction. bbolt runs one writing
// transaction at a time, and each waits for the disk. [Store.Put] uses DB.Batch, which runs the
// writes of concurrent callers in one transaction. zargo writes chunks concurrently, so they share
// the wait.
//
// One process at a time can open the file. The file does not shrink when keys are deleted. All
// methods may be called concurrently.
package bbolt
