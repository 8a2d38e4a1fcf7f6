// Package engine executes plans: it sends the requests that package plan yields, decodes responses
// into a region in memory, and stores encoded elements of a region.
//
//	a := &engine.Array{Store: s, Path: "air/t2m", Layout: layout, Options: o, State: &engine.State{}}
//	err := a.Read(ctx, pipeline.Memory{Block: codec.Block{Bytes: dst}, Shape: sel.Shape()}, sel)
//	err = a.Write(ctx, pipeline.Memory{Block: codec.Block{Bytes: src}, Shape: sel.Shape()}, sel)
//
// Reads send the requests of the plan: [plan.Object.Whole] for an object that is read whole, those
// of its [plan.Level]s for a shard that is read in parts. A request is sent once it has a slot of
// the call and reserved memory, and its response is checked against the plan.
//
// The engine waits for a slot of the call (Options.InFlight), memory (concurrency.Budget), and a
// CPU slot, in this order, and never for two of one kind. A request holds the slot of the call until
// its bytes are processed; a shard that waits for its own requests holds none. The store has its own
// request slots, which are released before decoding starts.
//
// A call writes as many objects at a time as it has slots. Each holds the memory of its old and new
// stored form. A write of part of an object first locks the key of the object in this process;
// between processes the store's conditions decide.
//
// The first error ends a call. The call then starts no request, waits for those in flight, and
// returns the error as a *fault.ChunkError that names the object. An Array is safe for concurrent use.
package engine
