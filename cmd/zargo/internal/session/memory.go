package session

import (
	"math"
	"runtime/debug"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// LimitsOf returns the limits of the process with a memory budget of at most memory bytes: a part
// of the default budget, or a budget of its own if memory exceeds the default.
func LimitsOf(memory int64) *concurrency.Limits {
	limits := *concurrency.Default()
	if memory > limits.Bytes.Size() {
		limits.Bytes = concurrency.NewBudget(memory)
	} else {
		limits.Bytes = limits.Bytes.Child(memory)
	}
	return &limits
}

// Local returns a view of an array that reads within 32 MiB for each CPU slot, if the store has no
// network, where more chunks in flight would only use memory. Elements of varying length keep the
// whole budget, because reads of a smaller one would repeat requests for long chunks.
func Local(a *zarr.Array) *zarr.Array {
	all := a.Limits().Shared
	memory := min(int64(all.CPU.Slots())<<25, all.Bytes.Size())
	b, err := a.With(zarr.Limit(zarr.Limits{Shared: LimitsOf(memory)}))
	if err != nil || a.DType().Size() == 0 || store.TuningOf(a.Store()).Requests > store.Local().Requests {
		return a
	}
	return b
}

// OutsideHeap is the memory that the program uses outside the heap. Go's memory limit does not
// include this memory. KeepTo reserves another sixteenth for memory that is allocated before the
// limit takes effect.
const OutsideHeap = 40 << 20

// KeepTo limits the heap until the returned function is called. It does nothing if GOMEMLIMIT is
// set.
func KeepTo(memory int64) func() {
	was := debug.SetMemoryLimit(-1)
	if was == math.MaxInt64 {
		debug.SetMemoryLimit(max(memory/16*15-OutsideHeap, memory/2))
	}
	return func() { debug.SetMemoryLimit(was) }
}

// KeepWithin subtracts the memory outside the heap from the memory limit, if GOMEMLIMIT is set and
// not small, so that the whole process stays within GOMEMLIMIT.
func KeepWithin() {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 && limit >= 4*OutsideHeap {
		debug.SetMemoryLimit(limit - OutsideHeap)
	}
}
