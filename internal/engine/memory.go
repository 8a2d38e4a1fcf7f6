package engine

import (
	"errors"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// sizes is what decides how much of an object is in memory at once, for calls on a store with such
// numbers.
func (a *Array) sizes(t store.Tuning) plan.Memory {
	l := a.Options.Limits
	return plan.Memory{
		Budget: l.Bytes.Size(), Limit: a.Options.ChunkLimit, PartAbove: t.PartAbove, CPUs: l.CPU.Slots(), Seen: a.State.longest.Load(), Need: concurrency.Need,
	}
}

// size is sizes by what was seen until now.
func (r *Call) size() plan.Memory {
	m := r.sizes
	m.Seen = r.State.longest.Load()
	return m
}

// first is how many bytes a request may bring when it is made for the first time.
func (r *Call) first(rd plan.Read) int64 {
	if rd.Exact || rd.Role != plan.Chunk && rd.Role != plan.Shard {
		return rd.Bound
	}
	return min(r.size().Typical(rd.Pieces[0].Chunk()), rd.Bound)
}

// short is the buffer for an object whose length is known to nothing but the store.
const short = 64 << 10

// expected is for how many of the n bytes that a request may bring there is a buffer before it is
// made. Where elements vary in length n is a guess that is mostly far too large; what the store
// then makes itself is adopted.
func (r *Call) expected(rd plan.Read, n int64) int64 {
	if rd.Role != plan.Chunk && rd.Role != plan.Shard || rd.Pieces[0].Chunk().Chain.Typical() >= 0 {
		return n
	}
	return min(n, max(2*r.State.longest.Load(), short))
}

// longer is how many bytes a request may bring when it is made again, since it had more than n:
// what the store announced, or, where it could not, eight times as many. ok is false when that is
// no reason to make it again.
func longer(rd plan.Read, n int64, err error) (more int64, ok bool) {
	if n >= rd.Bound || !errors.Is(err, fault.Limit) || account.Refused(err) {
		return 0, false
	}
	var long *store.TooLong
	if errors.As(err, &long) {
		return long.Announced, long.Announced > n && long.Announced <= rd.Bound
	}
	if n > math.MaxInt64/8 {
		return rd.Bound, true
	}
	return min(max(8*n, 1), rd.Bound), true
}

// indexed is how many bytes the index of a stored shard takes, with what it expands to.
func (r *Call) indexed(o *plan.Object) int64 { return plan.Indexed(o, int64(r.planned)) }

// need is how many bytes to reserve for a buffer.
func need(n int64) int64 { return plan.Memory{Need: concurrency.Need}.Buffers(n) }
