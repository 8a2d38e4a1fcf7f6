// Package concurrency runs many tasks concurrently within limits on memory, CPU and requests.
//
// Each of the three limits has its own scope. Request slots ([Slots]) are shared by all stores of
// the process on one bucket ([Registry], package zarr/store/limit). CPU slots ([CPU]) belong to the
// process. Memory ([Budget]) belongs to the code that created the budget. [Default] returns the
// limits of the process.
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
// Two rules prevent deadlock. Work reserves all the memory that it needs before it starts. A
// goroutine that holds one resource acquires others only from left to right in this order, and
// never two of the same kind:
//
//	Block  >  key ([KeyedMutex])  >  Index  >  slot of a call  >  Task  >  request slot  >  CPU slot
//
// Work that may use only a part of the memory takes a child of the budget ([Budget.Child]). For
// this order a budget and its children count as one budget.
//
// A request slot is released before a CPU slot is acquired. A joined load ([SingleFlight]) may
// acquire a Task and the slots to its right. A goroutine that waits for the load holds nothing to
// the right of Index except the slots of its own call. The methods that try ([Budget.Try],
// [Slots.Try], [CPU.Try], [KeyedMutex.TryLock]) never wait. Resources acquired with them may be
// held in any order.
//
// All types and functions are safe for concurrent use. Every goroutine started by a function of
// this package ends before that function returns. The exception is the goroutine of a joined load,
// which ends before the last waiting caller returns. Functions return the errors of their tasks, or
// context.Cause if the context is done.
package concurrency
