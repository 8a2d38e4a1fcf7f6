// Package transfer copies arrays and hierarchies between stores. A copy may have other chunks,
// shards and codecs than its source, and another Zarr format. The work is divided into tasks, which
// run on one machine or on many.
//
//	node, err = transfer.Copy(ctx, node, target, transfer.Options{Codecs: codecs}) // or, in steps:
//	p, err := transfer.NewPlan(ctx, node, target, transfer.Options{Source: from, Target: to})
//	err = transfer.Run(ctx, p, open, transfer.RunOptions{})       // in this process, or
//	err = transfer.RunTask(ctx, p, i, open)                       // each i below p.Tasks()
//	missing, err := transfer.Verify(ctx, p, open)                 // the tasks that are not done
//	err = transfer.Clean(ctx, p, open)
//
// # Plans and tasks
//
// A [Plan] is plain data: stages that consist of steps. The tasks are not listed but computed from
// the steps by number. Each task owns whole objects of the target, chunks or shards, so the tasks
// of a stage are independent. A task may be repeated, even while it runs elsewhere, because it
// stores the same bytes each time. After its objects are stored, a marker is put; [Run] puts it
// within about a second. A plan contains names of stores and no credentials; an [Opener] opens the
// stores by these names.
//
// If source and target store chunks in the same form, objects are copied without decoding, and
// inside the provider if source and target are in one store. Otherwise regions are decoded and
// encoded. A chunk is absent in the target only if the source has proven it absent.
//
// # The target
//
// A target belongs to one plan. The first task puts an object that names the plan, on condition
// that the object is absent. Running a second plan for the same target returns fault.Exists, even
// if both plans would store the same documents.
//
// The last task stores the target's documents after all other tasks are done, so readers never see
// a partial array. Until [Clean], a transfer keeps markers and temporary arrays in the directory
// [Plan.Dir] below the target.
//
// [SaveZip] runs a plan into a zip archive.
//
// # Memory
//
// A process reserves the memory for elements and objects in flight in a child of the budget that
// all work of the process shares ([RunOptions].Limits). The child is bounded by the plan's memory.
// The Go heap grows beyond the memory in use between garbage collections; a program with a hard
// limit should pass that limit to runtime/debug.SetMemoryLimit.
//
// # Errors
//
// Errors are those of package zarr. fault.Conflict means that an earlier stage is not complete, or
// that the source was changed since the plan was made.
//
// # Concurrency
//
// All functions may be called from any number of goroutines and processes.
package transfer
