package plan

import "github.com/zargo-io/zargo/zarr/store"

// Cost is what requests cost, in bytes that could be read instead. It is taken once a call, and is a part of its plan.
type Cost struct {
	Gap   int64 // bytes that are worth as much as a request and its round trip
	Cheap int64 // bytes of a hole that is always read through
	Max   int64 // bytes of the longest merged read
}

// CostOf is the cost by a store's numbers: a hole is read through where the tuning says so, however many requests are under way.
func CostOf(t store.Tuning) Cost { return Cost{Gap: t.RangeGap, Cheap: t.RangeGap, Max: t.RangeMax} }
