// Package engine executes plans: it sends the requests that package plan yields, decodes responses
// into a region in memory, and stores encoded elements of a region.
//
//	a := &engine.Array{Store: s, Path: "air/t2m", Layout: layout, Options: o, State: &engine.State{}}
//	err := a.Read(ctx, pipeline.Memory{Block: codec.Block{Bytes: dst}, Shape: sel.Shape()}, sel)
//	err = a.Write(ctx, pipeline.Memory{Block: codec.Block{Bytes: src}, Shape: sel.Shape()}, sel)
//
// Reads send the requests of the plan: [plan.Object.Whole] for an object that is read whole, and
// the requests of its [plan.Level]s for a shard that is read in parts. A request is sent once it
// has a slot of the call and reserved memory. The response is checked against the plan.
//
// The engine acquires a slot of the call (Options.InFlight), memory (concurrency.Budget), and a CPU
// slot, in this order. It never waits for a second slot, or for more memory, while it holds one. A
// request holds its slot of the call until its bytes are processed. A shard that waits for its own
// requests holds no slot. The store has its own request slots, which are released before decoding
// starts.
//
// A call writes as many objects concurrently as it has slots. Each object takes memory for its old
// and its new stored form. A write of part of an object locks the key of the object within this
// process. Conditional writes of the store coordinate different processes.
//
// The first error ends a call. The call then starts no more requests, waits for those in flight,
// and returns the error as a *fault.ChunkError with the key. An Array is safe for concurrent use.
package engine
