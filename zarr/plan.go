package zarr

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/store"
)

// Plan describes the requests that a read or a write sends to the store. [Array.Plan] and
// [Array.PlanWrite] return Plans. The size of a Plan does not depend on the number of requests. A
// Plan is safe for concurrent use.
type Plan struct {
	array *Array
	plan  *plan.Plan
}

// Request is one request of a [Plan].
type Request struct {
	// Op is "get", "put", or a step of an upload in parts: "parts" (start), "part", "commit" or
	// "abort".
	Op    string
	Key   string      // relative to the store's root
	Range store.Range // of a get
	Bytes int64       // maximum bytes of the value to transfer; math.MaxInt64 if unlimited
	Exact bool        // exactly Bytes are transferred if the key exists
	Maybe bool        // the request of a write is not always sent; see [Array.PlanWrite]
	Most  int64       // maximum number of times that it is sent
	// Role is the purpose of the request: "chunk", "shard", "index", "inner index" for the indexes
	// of nested shards, "inner" for inner chunks, or "probe" for a request that reads only a
	// version.
	Role string
}

// Known reports whether an index shows that the key exists and that Bytes are transferred.
func (r Request) Known() bool { return !r.Maybe && (r.Role == "inner" || r.Role == "inner index") }

// String returns one line, such as "get c/0/0 5+20: 20 bytes".
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

// Plan returns the requests that a read of sel would send, without sending any. It includes
// requests for chunks that are missing. It does not include retries, the effects of concurrent
// writers, or the request for the metadata of an array that was opened from consolidated metadata
// (see [Group.Open]). Errors are those of [Array.Selected].
func (a *Array) Plan(sel ...Selection) (*Plan, error) { return a.planned(nil, sel) }

// PlanWrite returns the requests that a write of sel would send, without sending any:
//
//   - A completely selected chunk has a put.
//   - A chunk that extends beyond the array's shape, and whose elements inside the shape are all
//     selected, has a put. It also has a get and a second put, which are sent only if the chunk
//     exists.
//   - Any other chunk has a get and a put.
//
// The plan does not know the elements. If all elements of a chunk equal the fill value, a write
// sends a delete instead of the put, or nothing if the chunk is missing.
//
// A shard that is large relative to the memory for chunks has a put, which is sent if the encoded
// shard is short. It also has the steps of an upload in parts: one "parts", several "part", and a
// "commit" or, after an error, an "abort". If only part of the shard is selected, there are also
// gets of its index and of the inner chunks that are kept. Errors are those of [Array.Plan].
func (a *Array) PlanWrite(sel ...Selection) (*Plan, error) {
	return a.planned(a.of.Engine.WriteOptions(), sel)
}

func (a *Array) planned(w *plan.WriteOptions, sel []Selection) (*Plan, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	if a.of.Meta.DType.Size() == 0 {
		items, err := a.of.Pipe.Forget()
		if err != nil {
			return nil, a.errf(err)
		}
		a = a.numbered(items)
	}
	return &Plan{a, a.of.Engine.Plan(r, w)}, nil
}

// Requests yields the requests that are known in advance, in the order of the objects. For a shard
// that is read in parts this is only the request for its index.
func (p *Plan) Requests() iter.Seq[Request] {
	return func(yield func(Request) bool) {
		for r := range p.plan.Requests() {
			if !yield(requestOf(r)) {
				return
			}
		}
	}
}

// Resolve reads the indexes of shards that are read in parts, and yields all requests of a read.
// For each shard it yields the request for its index. Level by level it then yields the requests
// for the indexes of nested shards and for ranges of inner chunks. For a write it yields the same
// requests as [Plan.Requests]. The first error ends the sequence; errors are those of [Read].
//
// A read through a newly opened array sends these requests in another order, with two differences.
// A read merges ranges according to the measured speed of the store, which may have changed since
// the plan was made. A read does not request an index that its array has in memory.
func (p *Plan) Resolve(ctx context.Context) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		for r, err := range p.array.of.Engine.Resolve(ctx, p.plan) {
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

// Bounds returns the minimum and maximum requests and bytes of the plan, without reading an index.
// The minimum assumes that every chunk is missing. The maximum assumes that every chunk is stored,
// has the maximum encoded size of its codecs, and is read by a separate request. Deletes, and the
// steps of an upload in parts, count as puts. Chunks with the same kind of request are counted by
// arithmetic, not one by one.
func (p *Plan) Bounds() (least, most store.Amount) {
	return p.plan.Bounds()
}

// String returns one line for each of [Plan.Requests]. If the store has measured its speed, the
// first line is a comment with the speed that the plan uses.
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
