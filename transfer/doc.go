// Package transfer copies arrays and hierarchies: between stores, to other chunks, shards, codecs
// and the other format, by tasks that may run on one machine or on many.
//
//	p, err := transfer.NewPlan(ctx, node, target, transfer.Options{Source: from, Target: to})
//	err = transfer.Run(ctx, p, open, transfer.RunOptions{})       // here, or
//	err = transfer.RunTask(ctx, p, i, open)                       // for each i below p.Tasks(), anywhere, and
//	missing, err := transfer.Verify(ctx, p, open)                 // what is left to be done
//	err = transfer.Clean(ctx, p, open)
//
// A [Plan] is plain data: stages of steps, whose tasks are counted and not listed. Each task owns
// whole objects of the target, chunks or shards, so none waits for another one and each may be run
// again, also while it runs elsewhere: the same bytes are stored. A task leaves a marker when its
// objects are stored. A plan holds names of stores and no credentials; an [Opener] makes stores of
// the names.
//
// Where source and target agree on how chunks are stored, objects are moved as they are, within the
// provider if both are in one store. Otherwise regions are decoded and encoded. Only a chunk that
// is proven absent is absent in the target.
//
// A target belongs to one plan: the first task puts an object that names it, on condition that it
// is absent. A second plan to the same target is fault.Exists, also where both would store the same
// documents.
//
// The target's documents are stored by the last task, and not before all others are done: no reader
// sees an array of which a part is missing. What a transfer keeps until [Clean] lies in a directory
// of its own below the target, see [Plan.Dir].
//
// [SaveZip] runs a plan into a zip archive.
//
// A process keeps to the plan's memory for elements and objects in flight: it reserves them in a
// child of the budget that all work of the process shares ([RunOptions].Limits). The garbage
// collector lets the heap grow beyond what is in use: a program that must not take more sets
// runtime/debug.SetMemoryLimit to the same number.
//
// Errors are those of package zarr; fault.Conflict is a task whose turn has not come, or a source
// that was changed since the plan was made. All functions may be called from any number of
// goroutines and processes.
package transfer
