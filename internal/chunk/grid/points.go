package grid

import (
	"cmp"
	"iter"
	"slices"
)

// Selection is a selection of elements of an array: a [Region] or [Points].
type Selection interface {
	// Shape returns the shape of the result.
	Shape() []int
	// Len returns the number of elements. ok is false if the number exceeds the range of int.
	Len() (n int, ok bool)
	// Chunks yields, once, each chunk of a grid that the selection touches.
	Chunks(chunk []Axis) iter.Seq[Box]
	// Runs divides the sequence of Chunks into runs. The run that starts at the i-th chunk has
	// length(i) chunks, at least 1; the last run may have fewer. Runs may be iterated at any time,
	// also concurrently.
	Runs(chunk []Axis, length func(i int) int) iter.Seq[iter.Seq[Box]]
	// Touched returns the number of chunks of a grid that the selection touches.
	Touched(chunk []Axis) int
}

// Pair is one element of [Points]. Off is the index of the element in its chunk, and To is the
// index in the result. Both indices are in C order.
type Pair struct{ Off, To int }

// Points is a selection of single elements by their coordinates. NewPoints sorts the points by
// chunk. Each point takes 24 bytes in addition to its coordinates.
type Points struct {
	at    [][]int // one list for each axis
	n     int
	chunk []Axis
	// order lists the points sorted by chunk. Points of one chunk keep their order, so that the
	// last write takes effect if an element is written several times.
	order []int
	pairs []Pair // in the order of order
	ends  []int  // end of each chunk's pairs
}

// NewPoints selects n elements of an array. chunk is the grid of the array. For each axis, at has a
// list of n coordinates. All points must be within the array. NewPoints retains the lists and does
// not modify them.
func NewPoints(at [][]int, n int, chunk []Axis) *Points {
	p := &Points{at: at, n: n, chunk: chunk, order: make([]int, n), pairs: make([]Pair, n)}
	for i := range p.order {
		p.order[i] = i
	}
	if !slices.IsSortedFunc(p.order, p.compare) {
		slices.SortStableFunc(p.order, p.compare)
	}
	for k, i := range p.order {
		off := 0
		for d, a := range chunk {
			_, edge, in := a.Locate(at[d][i])
			off = off*edge + in
		}
		p.pairs[k] = Pair{Off: off, To: i}
		if k > 0 && p.compare(p.order[k-1], i) != 0 {
			p.ends = append(p.ends, k)
		}
	}
	if n > 0 {
		p.ends = append(p.ends, n)
	}
	return p
}

// compare compares the positions of the chunks of two points, in C order.
func (p *Points) compare(i, j int) int {
	for d := range p.chunk {
		a := &p.chunk[d]
		if by := cmp.Compare(a.number(p.at[d][i]), a.number(p.at[d][j])); by != 0 {
			return by
		}
	}
	return 0
}

// Shape returns the shape of the result. It has one axis, whose length is the number of points.
func (p *Points) Shape() []int { return []int{p.n} }

// Len returns the number of points.
func (p *Points) Len() (n int, ok bool) { return p.n, true }

// Touched returns the number of chunks that contain a point. It ignores its argument and uses the
// grid of [NewPoints].
func (p *Points) Touched([]Axis) int { return len(p.ends) }

// Chunks yields the chunks that contain a point, in C order. It ignores its argument and uses the
// grid of [NewPoints].
func (p *Points) Chunks([]Axis) iter.Seq[Box] { return p.boxes(0, len(p.ends)) }

// Runs divides the sequence of Chunks into runs; see [Selection].
func (p *Points) Runs(_ []Axis, length func(i int) int) iter.Seq[iter.Seq[Box]] {
	return func(yield func(iter.Seq[Box]) bool) {
		for i, end := 0, 0; i < len(p.ends); i = end {
			if end = min(i+length(i), len(p.ends)); !yield(p.boxes(i, end)) {
				return
			}
		}
	}
}

// boxes yields the boxes from i to n-1.
func (p *Points) boxes(i, n int) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		for k := i; k < n && yield(p.Box(k)); k++ {
		}
	}
}

// Box returns the box of the i-th chunk that contains a point.
func (p *Points) Box(i int) Box {
	from := 0
	if i > 0 {
		from = p.ends[i-1]
	}
	b := Box{Coord: make([]int, len(p.chunk)), Pairs: p.pairs[from:p.ends[i]:p.ends[i]]}
	for d, a := range p.chunk {
		b.Coord[d] = a.number(p.at[d][p.order[from]])
	}
	return b
}

// pairsCover implements [Box.Covers] for a box of Points. It takes memory for the points, not for
// all elements of the chunk.
func (b Box) pairsCover(shape []int, axes []Axis) bool {
	left := 1 // number of elements of the chunk within the array that are not yet covered
	chunk, inside := make([]int, len(axes)), make([]int, len(axes))
	for d, a := range axes {
		var start int
		start, chunk[d] = a.Chunk(b.Coord[d])
		inside[d] = min(chunk[d], shape[d]-start)
		if inside[d] > len(b.Pairs)/left {
			return false
		}
		left *= inside[d]
	}
	seen := make([]bool, left)
	for _, p := range b.Pairs {
		at, step := 0, 1
		for d := len(chunk) - 1; d >= 0; d-- {
			at += p.Off % chunk[d] * step
			p.Off /= chunk[d]
			step *= inside[d]
		}
		if !seen[at] {
			seen[at] = true
			left--
		}
	}
	return left == 0
}

// CutPairs divides the pairs of a box among inner chunks. chunk is the shape of the chunk of the
// box, and inner is the shape of the inner chunks. In the result, Coord is the position of an inner
// chunk in the chunk, Off is the index in the inner chunk, and To has the values of b.
func (b Box) CutPairs(chunk, inner []int) *Points {
	at := make([][]int, len(chunk))
	for d := range at {
		at[d] = make([]int, len(b.Pairs))
	}
	for i, p := range b.Pairs {
		off := p.Off
		for d := len(chunk) - 1; d >= 0; d-- {
			at[d][i] = off % chunk[d]
			off /= chunk[d]
		}
	}
	cut := NewPoints(at, len(b.Pairs), Even(inner))
	for i := range cut.pairs {
		cut.pairs[i].To = b.Pairs[cut.pairs[i].To].To
	}
	return cut
}

// copyPairs copies elements of size bytes from the region to the chunk, or in the other direction
// if toChunk is false.
func (b Box) copyPairs(region, chunk []byte, size int, toChunk bool) {
	for _, p := range b.Pairs {
		r, c := region[p.To*size:(p.To+1)*size], chunk[p.Off*size:(p.Off+1)*size]
		if toChunk {
			copy(c, r)
		} else {
			copy(r, c)
		}
	}
}
