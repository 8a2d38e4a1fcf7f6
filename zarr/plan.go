package zarr

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/store"
)

// Plan is the requests that a read or a write makes of the store, which [Array.Plan] and
// [Array.PlanWrite] give. It takes no memory to speak of, however many they are. Safe for
// concurrent use.
type Plan struct {
	array *Array
	plan  *plan.Plan
}

// Request is one request of a [Plan].
type Request struct {
	Op    string      // "get", "put", or a step of a value in parts: "parts" begins it, "part", "commit", "abort"
	Key   string      // below the store's root
	Range store.Range // of a get
	Bytes int64       // of the value that are transferred, at most; math.MaxInt64 where there is no bound
	Exact bool        // Bytes are transferred, if the key holds a value
	Maybe bool        // of a write: not always made; see [Array.PlanWrite]
	Most  int64       // how often it is made at most
	Role  string      // what it is for: "chunk", "shard", "index", "inner index" of shards in a shard, "inner" chunks, "probe" for a version
}

// Known reports whether the key is known to hold a value of which Bytes are transferred: an index
// says so.
func (r Request) Known() bool { return !r.Maybe && (r.Role == "inner" || r.Role == "inner index") }

// String gives one line, such as "get c/0/0 5+20: 20 bytes".
func (r Request) String() string {
	s := r.Op + " " + r.Key
	if !r.Range.IsWhole() {
		s += " " + r.Range.String()
	}
	if r.Most > 1 {
		s += fmt.Sprintf(" up to %d times", r.Most)
	}
	switch {
	case r.Exact:
		return fmt.Sprintf("%s: %d bytes", s, r.Bytes)
	case r.Bytes == math.MaxInt64:
		return s + ": any number of bytes"
	}
	return fmt.Sprintf("%s: at most %d bytes", s, r.Bytes)
}

// Plan gives the requests that a read of sel makes. It makes none itself. A missing chunk is asked
// for like any other; what the plan does not know are conflicts with writers, and retries. Errors
// are those of [Array.Selected].
func (a *Array) Plan(sel ...Selection) (*Plan, error) { return a.planned(nil, sel) }

// PlanWrite gives the requests that a write of sel makes: of chunks that are wholly selected a put,
// of any other a get and a put. A chunk that reaches beyond the array's shape, and is selected as
// far as that goes, has a put, which is all if the chunk is absent, and a get and a put that are
// made only if it is not. Where every element of a chunk is the fill value, which the plan cannot
// know, the put is a delete, or nothing where there is no chunk.
//
// A shard that takes too much of the memory for chunks has a put, for the case that it turns out to
// be short, and the steps by which it is sent in parts: one "parts", a number of "part", a "commit",
// or after an error an "abort". Where a part of it is written its index is read, and the inner
// chunks that stay. Errors are those of [Array.Plan].
func (a *Array) PlanWrite(sel ...Selection) (*Plan, error) {
	return a.planned(a.engine.WriteOptions(), sel)
}

func (a *Array) planned(w *plan.WriteOptions, sel []Selection) (*Plan, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	if a.meta.DType.Size() == 0 {
		items, err := a.pipe.Forget()
		if err != nil {
			return nil, a.errf(err)
		}
		a = a.numbered(items)
	}
	return &Plan{a, a.engine.Plan(r, w)}, nil
}

// Requests yields the requests that are known without one, in the order of the objects: for a shard
// that is read in parts its index alone.
func (p *Plan) Requests() iter.Seq[Request] {
	return func(yield func(Request) bool) {
		for r := range p.plan.Requests() {
			if !yield(requestOf(r)) {
				return
			}
		}
	}
}

// Resolve reads the indexes of shards that are read in parts, and yields all requests of a read:
// for each shard its index, then, level by level, the indexes of nested shards and the ranges of
// inner chunks. A read through a newly opened array sends these requests, in another order, unless
// the speed that the store measures has changed since the plan was made: ranges are merged by it.
// A read does not request an index that its array holds. For a write Resolve yields what Requests yields. The first error ends the sequence; errors
// are those of [Read].
func (p *Plan) Resolve(ctx context.Context) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		for r, err := range p.array.engine.Resolve(ctx, p.plan) {
			if err != nil {
				yield(Request{}, err)
				return
			}
			if !yield(requestOf(r), nil) {
				return
			}
		}
	}
}

func requestOf(r plan.Request) Request {
	return Request{Op: string(r.Op), Key: r.Key, Range: r.Range, Bytes: r.Bound, Exact: r.Exact, Maybe: r.Maybe, Most: r.Times().Most, Role: r.Role.String()}
}

// Bounds returns the least and the most that the requests of the plan amount to, without reading an
// index. The least holds when every chunk is missing. The most holds when every chunk is stored, is
// as long as its codecs can make it, and is read by a request of its own. Deletes, and the steps of a
// shard that a write sends in parts, count as puts. Chunks that are requested alike are counted by
// arithmetic.
func (p *Plan) Bounds() (least, most store.Amount) {
	return p.plan.Bounds()
}

// String gives the requests that are known without one, one a line, after a line with the speed of
// the store that the plan is made for, where that was measured.
func (p *Plan) String() string {
	var b strings.Builder
	if m := p.plan.Measured; m.Bandwidth > 0 {
		fmt.Fprintf(&b, "# a request takes %v, a connection transfers %.3g MB/s\n", m.Latency, m.Bandwidth/1e6)
	}
	for r := range p.Requests() {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}
