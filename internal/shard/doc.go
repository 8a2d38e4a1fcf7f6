// Package shard plans what to read of a shard, without reading anything.
//
//	if layout.Whole(layout.Touched(box), n) { … } // one request for the shard, its index included
//	cut := layout.Cut(box)          // else the index first, and of the inner chunks that a selection touches
//	p, err := cut.Plan(index)       // these ranges
//	for _, r := range p.Reads { … } // r.Off, r.Len, and the inner chunks within
//
// Neighbours are merged by the store's numbers: a hole is read through when that is cheaper than another request, and no
// merged range is longer than one request should be. An index is hostile: every range is held against the shard and against
// what an inner chunk can be before it is planned.
//
// Errors are fault.Corrupt. The package is pure, its values are immutable, and any number of goroutines may use them.
package shard
