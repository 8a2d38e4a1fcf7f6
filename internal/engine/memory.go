package engine

import (
	"errors"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// unseen is the part of the budget that the first object takes whose length has no bound, as
// elements vary in it: a sixteenth.
const unseen = 16

// varied is what is reserved at least for such an object: asking again costs more than so much
// memory.
const varied = 1 << 20

// typical is how long a stored object is at most, as a rule. It is what is reserved before anything
// is known of it.
func (r *Call) typical(c *pipeline.Chunk) int64 {
	worst := c.Chain.Worst()
	n := c.Chain.Typical()
	if n < 0 {
		n = r.Options.Limits.Bytes.Size() / unseen
		if seen := r.State.longest.Load(); seen > 0 {
			n = max(min(n, varied), 2*seen)
		}
	}
	return min(n, worst)
}

// first is how many bytes a request may bring when it is made for the first time.
func (r *Call) first(rd plan.Read) int64 {
	if rd.Exact || rd.Role != plan.Chunk && rd.Role != plan.Shard {
		return rd.Bound
	}
	return min(r.typical(rd.Pieces[0].Chunk()), rd.Bound)
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

// indexed is how many bytes the index of a stored shard takes, with what it expands to: that of all
// shards within it is worked through in slices.
func (r *Call) indexed(o *plan.Object) int64 {
	n := 16*int64(o.Chunk.Shards.Len()) + plan.PieceBytes*int64(o.Touched())
	if o.Chunk.Inner.Shards != nil {
		return sum(16*int64(o.Chunk.Shards.Len()), min(sum(n, n), int64(r.planned)))
	}
	return n
}

// split is how many of several pieces of work, each of which takes room bytes beside the n of all,
// are done at once: as many as there are CPU slots, unless that makes a Task that leaves no room
// for others.
func (r *Call) split(pieces int, n, room int64) int {
	left := (r.Options.Limits.Bytes.Size()/8*3 - n) / max(room, 1)
	return int(max(min(int64(r.Options.Limits.CPU.Slots()), int64(pieces), left), 1))
}

// need is how many bytes to reserve for buffers of so many bytes each.
func need(buffers ...int64) (n int64) {
	for _, b := range buffers {
		n = sum(n, concurrency.Need(int(min(b, math.MaxInt/4))))
	}
	return n
}

// room is how many bytes to reserve for n bytes in several buffers.
func room(n int64) int64 { return sum(min(n, most), min(n, most)/8) }

// most is what sums of lengths end at: no budget has so much, and four of them are a number.
const most = math.MaxInt64 / 4

func sum(a, b int64) int64 {
	if a > most-b {
		return most
	}
	return a + b
}

func times(a, b int64) int64 {
	if a > 0 && b > most/a {
		return most
	}
	return a * b
}
