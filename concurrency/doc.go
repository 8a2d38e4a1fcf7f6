// Package concurrency runs many tasks at once without running out of anything.
//
// Three limits have three owners. Requests in flight are [Slots] of all stores of the process on
// one bucket ([Registry], package zarr/store/limit). CPU slots ([CPU]) belong to the process.
// Memory ([Budget]) belongs to the code that made the budget; [Default] holds one of each for the
// process.
//
//	err := concurrency.Each(ctx, 64, keys, func(ctx context.Context, key string) error {
//		hold, err := budget.Acquire(ctx, concurrency.Task, concurrency.Need(size))
//		if err != nil {
//			return err
//		}
//		defer hold.Release()
//		buf := hold.Buffer(size)
//		return read(ctx, key, buf)
//	})
//
// Rules that keep them from locking each other: all memory that work needs is reserved before it
// begins, and what is acquired while something else is held comes in this order, never two of one
// kind:
//
//	Block  >  key ([Keyed])  >  Index  >  slot of a call  >  Task  >  request slot  >  CPU slot
//
// A part of the work that may take a part of the memory has a child of the budget ([Budget.Child]).
// A budget and its children count as one budget for this order.
//
// A request slot is given back before a CPU slot is asked for. A load that is joined ([Joined])
// starts at Task, and who waits for it holds nothing to the right of Index and the slots of its own
// call. What is tried ([Budget.Try], [Slots.Try], [CPU.Try], [Keyed.TryLock]) never waits, and may
// be held in any order.
//
// Everything here may be used from any number of goroutines. Every goroutine started here has ended
// when the function that started it returns. Errors are those of the tasks, or the context's.
package concurrency
