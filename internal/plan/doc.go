// Package plan turns a selection into the requests that read or write it, without making one.
//
//	p := &plan.Plan{Layout: layout, Select: region, Cost: plan.CostOf(store.TuningOf(st), store.Measured{}, 1)}
//	for o := range p.Objects() {            // chunks and shards, one stored value each
//		if !o.Ranged {
//			send(o.Whole())            // one request; its one Piece is all of the object
//			continue
//		}
//		level := o.Shard()              // a shard in parts, stage one: its index
//		found := make([]codec.ShardIndex, level.Len())
//		reads, err := level.Indexes(found)
//		send(reads...)                  // level.Decode fills found from each response
//		stage, err := level.Expand(version, found) // stage two: ranges of inner chunks, neighbours merged
//		for next := range stage.Next(memory) {
//			read(next)              // shards within the shard, level by level in the same way
//		}
//		for _, r := range stage.Reads {
//			send(r)                 // r.Of(piece, bytes) is decoded into piece.Box()
//		}
//	}
//
// Who reads runs exactly the requests that are yielded here: key, range, version to pin, bound, and
// the [Piece]s of what comes back. What is known before an index is read is [Plan.Requests], which
// [Plan.String] prints one a line as a recorded transcript has them, and [Plan.Amount] is their
// number and size. Everything is lazy: a plan of a million chunks takes no memory until it is
// walked, and then that of one object.
//
// Neighbours are merged by the store's numbers, [Cost]. An index is hostile: every range is checked
// against the shard, and against what an inner chunk can be, before it is planned. Errors are
// fault.Corrupt, and those of pipeline.For.
//
// The package is pure, its values are immutable, and any number of goroutines may use them.
package plan
