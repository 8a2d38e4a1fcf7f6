package plan

import (
	"cmp"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/zarr/store"
)

// Reads are the requests for pieces of one object, with adjacent pieces merged. The requests are
// computed during the iteration, so a long list of requests takes no more memory than its pieces.
type Reads struct {
	each   Request // template without range and bound
	pieces []Piece // sorted
	gap    int64   // maximum bytes of a gap that is read
	longer int64   // maximum bytes of a range, unless its first piece is longer
	n      int
	bytes  int64
}

// merge sorts pieces by offset, in place, and merges them into ranges to read. Pieces may overlap.
func merge(each Request, pieces []Piece, cost *Cost) Reads {
	slices.SortStableFunc(pieces, func(a, b Piece) int { return cmp.Or(cmp.Compare(a.Off, b.Off), cmp.Compare(a.Len, b.Len)) })
	r := Reads{each: each, pieces: pieces, gap: cost.gap(pieces), longer: cost.Max}
	for rd := range r.ranges {
		r.n++
		r.bytes += rd.n
	}
	return r
}

// span is a merged range and the numbers of its pieces.
type span struct {
	off, n int64
	lo, hi int
}

// ranges yields the merged ranges in the order of their offsets.
func (r Reads) ranges(yield func(span) bool) {
	first := 0 // index of the first piece of the current range
	var off, end int64
	for i, p := range r.pieces {
		to := max(end, p.Off+p.Len)
		if i > first && (p.Off-end > r.gap || to > end && to-off > r.longer) {
			if !yield(span{off, end - off, first, i}) {
				return
			}
			first = i
		}
		if i == first {
			off, to = p.Off, p.Off+p.Len
		}
		end = to
	}
	if len(r.pieces) > 0 {
		yield(span{off, end - off, first, len(r.pieces)})
	}
}

// single returns a Reads with one read.
func single(r Read) Reads { return Reads{each: r.Request, pieces: r.Pieces, n: 1, bytes: r.Bound} }

// Len returns the number of requests.
func (r Reads) Len() int { return r.n }

// Bytes returns the number of bytes that the requests transfer.
func (r Reads) Bytes() int64 { return r.bytes }

// All yields the reads in the order of their offsets.
func (r Reads) All() iter.Seq[Read] {
	return func(yield func(Read) bool) {
		for s := range r.ranges {
			rd := Read{Request: r.each, Off: s.off, Pieces: r.pieces[s.lo:s.hi:s.hi]}
			rd.Bound, rd.Exact = s.n, true
			if rd.Range.IsWhole() {
				rd.Range = store.Within(s.off, s.n)
			}
			if !yield(rd) {
				return
			}
		}
	}
}
