package plan

import (
	"iter"
	"math"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/store"
)

// Plan describes the objects and requests of a selection of an array. It is immutable.
type Plan struct {
	Layout
	Select grid.Selection
	Cost   Cost          // decides which objects are read whole or in parts
	Gaps   Cost          // decides which gaps between parts of an object are read; if zero, Cost decides
	Write  *WriteOptions // nil for a read
	Keep   Keeper        // decides which chunks are read whole; may be nil
	Ranged bool          // shards of kept chunks are never read whole, as for a cache

	Measured store.Measured // the basis of Gaps; zero if nothing was measured
}

func (p *Plan) gaps() *Cost {
	if p.Gaps != (Cost{}) {
		return &p.Gaps
	}
	return &p.Cost
}

// Keeper reports which chunks must be read whole, because they will be cached or checked.
type Keeper interface{ Keeps(c *pipeline.Chunk) bool }

// Len returns the number of objects, without computing them.
func (p *Plan) Len() int { return p.Select.Touched(p.Axes) }

// Objects yields the objects in C order of their grid positions.
func (p *Plan) Objects() iter.Seq[*Object] {
	return func(yield func(*Object) bool) { p.objects(p.Select.Chunks(p.Axes), yield) }
}

// Runs divides the sequence of Objects into runs. The run that starts at the i-th object has
// length(i) objects, at least 1; the last run may have fewer. Runs may be iterated at any time,
// also concurrently, and compute their objects then.
func (p *Plan) Runs(length func(i int) int) iter.Seq[iter.Seq[*Object]] {
	return func(yield func(iter.Seq[*Object]) bool) {
		p.Select.Runs(p.Axes, length)(func(run iter.Seq[grid.Box]) bool {
			return yield(func(yield func(*Object) bool) { p.objects(run, yield) })
		})
	}
}

// objects yields the objects of boxes.
func (p *Plan) objects(boxes iter.Seq[grid.Box], yield func(*Object) bool) {
	if !p.Pipe.Even() {
		for b := range boxes {
			chunk, err := p.Pipe.For(grid.ShapeOf(p.Axes, b.Coord))
			if !yield(p.object(b, chunk, err)) {
				return
			}
		}
		return
	}
	chunk, err := p.Pipe.For(nil)
	boxes(func(b grid.Box) bool { return yield(p.object(b, chunk, err)) })
}

func (p *Plan) object(b grid.Box, chunk *pipeline.Chunk, err error) *Object {
	o := &Object{Box: b, Key: p.Key(b.Coord), Chunk: chunk, Err: err, plan: p}
	if err != nil {
		return o
	}
	o.cut = Cut{chunk: chunk, n: 1, box: b}
	o.piece[0] = Piece{Len: -1, cut: &o.cut}
	o.Full = b.Full(chunk.Shape)
	if p.Write != nil {
		o.Covers = !p.Write.Merge && b.Covers(p.Shape, p.Axes)
		o.Edge = o.Covers && !o.Full && !p.Write.Held && o.beyond()
		return o
	}
	if chunk.Shards != nil {
		o.ranged = p.Ranged && p.Keep != nil && p.Keep.Keeps(chunk)
		o.Ranged = o.ranged || !p.Cost.whole(chunk, o.Touched(), o.inside())
		return o
	}
	if !o.Full && (p.Keep == nil || !p.Keep.Keeps(chunk)) {
		if off, n, ok := chunk.Span(b); ok && p.Cost.part(int64(chunk.Bytes), n) {
			o.off, o.n = off, n
		}
	}
	return o
}

// Requests yields the requests that are known before an index is read, in the order of the objects:
// the index of a shard that is read in parts, the selected range of an uncompressed chunk, the
// whole of any other object that is read, and the requests of an object that is written (see
// [WriteOptions]). It omits objects with an Err.
func (p *Plan) Requests() iter.Seq[Request] {
	return func(yield func(Request) bool) {
		for o := range p.Objects() {
			for _, r := range p.requests(o) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// requests returns the requests of one object.
func (p *Plan) requests(o *Object) []Request {
	switch {
	case o.Err != nil:
		return nil
	case o.Ranged:
		return []Request{o.Shard().index(Index, "").Request}
	case p.Write == nil:
		return []Request{o.Wanted().Request}
	}
	return p.writes(o)
}

// Span is the range of an unknown number, from Least to Most.
type Span struct{ Least, Most int64 }

// Amount is the number of requests of a plan, and the number of bytes that the requests transfer.
// Least is the amount if all objects are missing or known from earlier reads. Most is the amount if
// every chunk is stored with its maximum length and no pieces are merged.
//
// Amount does not include reads that are restarted because an object was replaced or is longer than
// encoders make it. If an absent object that extends beyond the shape is written, it counts as one
// request. If [Plan.Requests] yields requests that are sent only after a conflict or an error,
// Amount includes them.
type Amount struct{ Requests, Bytes Span }

// alike divides the objects into classes with similar requests. It yields one object of each class,
// and the number of objects in the class. Unless the selection has lists, the classes are computed
// without visiting each object.
func (p *Plan) alike() iter.Seq2[*Object, int64] {
	region, ok := p.Select.(grid.Region)
	return func(yield func(*Object, int64) bool) {
		if !ok {
			p.Objects()(func(o *Object) bool { return yield(o, 1) })
			return
		}
		classes := make([][]grid.Class, len(region))
		for i, s := range region {
			if classes[i] = s.Classes(p.Axes[i], p.Shape[i]); len(classes[i]) == 0 {
				return
			}
		}
		at := make([]int, len(region))
		for {
			box, n := grid.MakeBox(len(region)), int64(1)
			for i, k := range at {
				c := classes[i][k]
				box.Parts[i], box.Coord[i] = c.Part, c.Chunk
				n = times(n, int64(c.Like))
			}
			var shape []int
			if !p.Pipe.Even() {
				shape = grid.ShapeOf(p.Axes, box.Coord)
			}
			chunk, err := p.Pipe.For(shape)
			if !yield(p.object(box, chunk, err), n) {
				return
			}
			i := len(at) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < len(classes[i]) {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// Tally summarizes [Plan.Requests]. For each class of similar requests it yields one request,
// without its key, and the number of requests in the class, at most math.MaxInt64. The order is not
// specified.
func (p *Plan) Tally() iter.Seq2[Request, int64] {
	return func(yield func(Request, int64) bool) {
		for o, n := range p.alike() {
			for _, r := range p.requests(o) {
				if !yield(r, n) {
					return
				}
			}
		}
	}
}

// Amount computes the amount by classes of objects. It reads no index.
func (p *Plan) Amount() Amount {
	var a Amount
	for o, n := range p.alike() {
		for _, r := range p.requests(o) {
			k := r.Times()
			a.Requests.Least = add(a.Requests.Least, times(n, k.Least))
			a.most(times(n, k.Most), r.Bound)
		}
		if !o.Ranged {
			continue
		}
		m := o.Chunk
		for ; m.Inner.Shards != nil; m = m.Inner {
			index, _ := m.Inner.Shards.IndexSize()
			a.most(times(n, int64(touched(o.Chunk, m.Inner, o.Box))), add(index, p.gaps().Gap))
		}
		a.most(times(n, int64(touched(o.Chunk, m.Inner, o.Box))), add(m.Inner.Chain.Worst(), p.gaps().Gap))
	}
	return a
}

// most adds n requests, each of the given number of bytes, to the maxima of the Amount.
func (a *Amount) most(n int64, bytes int64) {
	a.Requests.Most = add(a.Requests.Most, n)
	a.Bytes.Most = add(a.Bytes.Most, times(n, bytes))
}

// times returns a * b, limited to math.MaxInt64.
func times(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// add returns a + b, limited to math.MaxInt64.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
