// Package concurrency runs many tasks at once without running out of anything.
//
// Three limits have three owners. Requests in flight belong to an opened store (package zarr/store/limit). CPU slots
// ([CPU]) belong to the process. Bytes in flight ([Budget]) belong to whoever made the budget; [Default] holds one of
// each for the process.
//
//	err := concurrency.Each(ctx, 64, keys, func(ctx context.Context, key string) error {
//		…
//	})
//
// Rules that keep them from locking each other: never wait for a slot while holding one of the same kind; every
// [Op] may always run one task, whatever the budget says; a correction of a reservation never waits.
//
// Everything here may be used from any number of goroutines. Every goroutine started here has ended when the function
// that started it returns. Errors are those of the tasks, or the context's.
package concurrency
