// Package engine executes plans: it sends the requests that package plan yields, decodes what comes
// into a region in memory, and stores what is encoded from one.
//
//	a := &engine.Array{Store: s, Path: "air/t2m", Layout: layout, Options: o, State: &engine.State{}}
//	err := a.Read(ctx, pipeline.Memory{Block: codec.Block{Bytes: dst}, Shape: sel.Shape()}, sel)
//	err = a.Write(ctx, pipeline.Memory{Block: codec.Block{Bytes: src}, Shape: sel.Shape()}, sel)
//
// Reads send the requests of the plan: [plan.Object.Whole] for an object that is read whole, those
// of its [plan.Level]s for a shard that is read in parts. Each request is sent with its memory
// reserved and a slot of the call taken, and its response is checked against the plan.
//
// Three things are waited for, in this order, and never two of one kind: a slot of the call
// (Options.InFlight), memory (concurrency.Budget), a CPU slot. The slot of the call is held by a
// request and what is done with its bytes, never by a shard that waits for its own requests. The
// store has request slots of its own, which are free again before anything is decoded.
//
// An object that is written is one of those that the call has under way (as many as there are
// slots), holds the memory of its old and new stored form, and of a part of one first the object's
// key in this process; between processes the store's conditions decide.
//
// The first error ends a call: no request is begun after it, and it is returned, as a
// *fault.ChunkError that names the object, when everything under way has ended. An Array may be
// used from any number of goroutines.
package engine
