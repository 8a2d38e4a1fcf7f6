package session

import (
	"math"
	"runtime/debug"

	"github.com/zargo-io/zargo/concurrency"
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
