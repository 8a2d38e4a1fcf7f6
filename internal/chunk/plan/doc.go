// Package plan computes the requests that read or write a selection. The caller sends them.
//
//	p := &plan.Plan{Layout: layout, Select: region, Cost: plan.CostOf(store.TuningOf(st), store.Measured{}, 1)}
//	for o := range p.Objects() {            // chunks and shards, one stored value each
//		if !o.Ranged {
//			send(o.Whole())            // one request; its one Piece is the whole object
//			continue
//		}
//		level := o.Shard()              // a shard in parts, stage one: its index
//		found := make([]codec.ShardIndex, level.Len())
//		reads, err := level.Indexes(found)
//		send(reads...)                  // level.Decode fills found from each response
//		stage, err := level.Expand(version, found) // stage two: merged ranges of inner chunks
//		for next := range stage.Next(memory) {
//			read(next)              // nested shards, level by level in the same way
//		}
//		for _, r := range stage.Reads {
//			send(r)                 // r.Of(piece, bytes) is decoded into piece.Box()
//		}
//	}
//
// A reader sends exactly the yielded requests. A request has a key, a range, the version to read, a
// maximum length, and the [Piece]s of the response. [Plan.Requests] yields the requests that are
// known before an index is read. [Plan.String] prints them one per line, in the form of recorded
// transcripts, and [Plan.Amount] returns their number and size. Plans are lazy: a plan of a million
// chunks takes no memory before the iteration. During the iteration it takes the memory of one
// object.
//
// [Cost] decides which neighbouring pieces are merged. Indexes may be malicious: each range in an
// index is checked against the length of the shard and the maximum length of an inner chunk. Errors
// are fault.Corrupt and the errors of pipeline.For.
//
// The package performs no I/O. Its values are immutable and safe for concurrent use.
package plan
