package plan

import "github.com/zargo-io/zargo/zarr/store"

// WriteOptions configure how a selection is written.
//
// An object that is wholly written is put. An object that is partly written is read, and put on the
// condition that it was not replaced. An object that extends beyond the shape of the array is put
// on the condition that it is absent; if it exists, it is read and put. In a guarded write, an
// object that is wholly written is put on the condition that it is absent; if it exists, its
// version is read, and becomes the condition of another put. A shard that would take too much
// memory is streamed: a value shorter than a part is put, and a longer value is sent in parts. The
// inner chunks that the new shard keeps are located by the index of the stored shard, and read.
//
// If all elements of an object are the fill value, the object is deleted instead of put, or is not
// written if it is absent. A plan does not depend on the values of elements.
type WriteOptions struct {
	Merge      bool             // part of every object is kept, as if one field is written
	Held       bool             // no other writer may store elements beyond the shape
	Single     bool             // the only writer, which puts without conditions
	Conditions store.Conditions // the conditions that the store supports
	Memory     Memory           // memory available to the write; the zero Memory streams nothing
	NoParts    bool             // the store is known not to support values in parts
	NoRanges   bool             // the store is known to lack ranges of one version
}

// ReadsEdges reports whether an edge object is read before it is put, because the store cannot put
// it on the condition that it is absent.
func (w *WriteOptions) ReadsEdges() bool { return w.Single || !w.Conditions.IfAbsent }

// Guarded reports whether whole objects are put only if they are absent.
func (w *WriteOptions) Guarded() bool { return w.Held && !w.Single }

// writes returns the requests that write an object.
func (p *Plan) writes(o *Object) []Request {
	w, get := p.Write, o.Whole().Request
	put := get
	put.Op = store.OpPut
	probe := Request{Op: store.OpGet, Role: Probe, Key: o.Key, Range: store.Within(0, 1), Bound: 1, Maybe: true}
	read := !o.Covers || o.Edge
	packing := w.Memory.Packing(o, read)
	switch {
	case packing.Streams && !w.NoParts && !(read && w.NoRanges):
		return p.streamed(o, packing.Limits, get, put, probe)
	case !read && w.Guarded():
		again := put
		again.Maybe = true
		return []Request{put, probe, again}
	case !read:
		return []Request{put}
	case o.Edge && !w.ReadsEdges():
		again := put
		get.Maybe, again.Maybe = true, true
		return []Request{put, get, again}
	}
	return []Request{get, put}
}

// streamed returns the requests that stream a shard. The shard is put whole if it is shorter than a
// part, or if the store turns out not to support parts. A shard that is partly written is read
// whole if the store turns out not to support ranges of one version.
func (p *Plan) streamed(o *Object, l Limits, get, put, probe Request) []Request {
	m := p.Write.Memory
	all := l.Most
	if o.Chunk.Inner.Shards == nil { // otherwise nested shards that remain may have unused space
		all = min(all, Packed(o.Chunk))
	}
	step := func(op store.Op, bytes int64) Request {
		return Request{Op: op, Role: Shard, Key: o.Key, Bound: bytes, Maybe: true}
	}
	part := step(store.OpPart, l.Part)
	part.Most = (all-1)/l.Part + 1
	put.Maybe = true
	ends := []Request{step(store.OpBegin, 0), part, step(store.OpCommit, 0), step(store.OpAbort, 0), put}
	switch {
	case !o.Covers || o.Edge:
		index := o.Shard().Index().Request
		index.Maybe = o.Edge && !p.Write.ReadsEdges()
		stays := Request{Op: store.OpGet, Role: Inner, Key: o.Key, Bound: max(o.Chunk.Inner.Chain.Worst(), m.Carrying(p.Cost).Max), Maybe: true, Most: int64(o.Chunk.Shards.Len())}
		if o.Chunk.Inner.Shards != nil { // it may have unused space
			stays.Bound = m.Longest(o.Chunk)
		}
		get.Bound, get.Exact, get.Maybe = m.Longest(o.Chunk), false, true
		return append([]Request{index, stays, get}, ends...)
	case p.Write.Guarded():
		probe.Maybe = false
		return append([]Request{probe}, ends...)
	}
	return ends
}

// Bounds returns the minimum and the maximum amount, by operation. A delete counts as a put. Each
// request of an upload in parts also counts as a put. The maximum includes the requests of a guard,
// which [Plan.Requests] omits.
func (p *Plan) Bounds() (least, most store.Amount) {
	if p.Write == nil {
		n := p.Amount()
		return store.Amount{Gets: n.Requests.Least, BytesRead: n.Bytes.Least}, store.Amount{Gets: n.Requests.Most, BytesRead: n.Bytes.Most}
	}
	for r, n := range p.Tally() {
		k := r.Times()
		bytes := times(times(n, k.Most), r.Bound)
		if r.Op == store.OpGet {
			least.Gets = add(least.Gets, times(n, k.Least))
			most.Gets = add(most.Gets, times(n, k.Most))
			most.BytesRead = add(most.BytesRead, bytes)
		} else { // not sent if all elements are the fill value
			most.Puts = add(most.Puts, times(n, k.Most))
			most.BytesWritten = add(most.BytesWritten, bytes)
		}
	}
	if p.Write.Held { // before an object is replaced, the guard requests a document that is unchanged
		most.Gets = add(most.Gets, int64(p.Len()))
	}
	return least, most
}
