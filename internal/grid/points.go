package grid

import (
	"cmp"
	"iter"
	"slices"
)

// Selection is what is selected of an array: a [Region], or [Points].
type Selection interface {
	// Shape is the shape of what is selected.
	Shape() []int
	// Len is the number of elements; not ok where an int does not hold it.
	Len() (n int, ok bool)
	// Chunks yields the chunks of a grid that the selection touches, each once.
	Chunks(chunk []Axis) iter.Seq[Box]
	// Touched is the number of those chunks.
	Touched(chunk []Axis) int
}

// Pair is one element of [Points]: its place in a chunk, and its place in what is selected, both
// counted in C order.
type Pair struct{ Off, To int }

// Points selects elements one by one, by their coordinates. They are sorted by chunks once, when
// they are made, for 16 bytes and a third list of numbers each.
type Points struct {
	at    [][]int // one list for each axis
	n     int
	chunk []Axis
	order []int  // the points by chunk, and in a chunk in the order given, so that of duplicates the last write stays
	pairs []Pair // in that order
	ends  []int  // of the pairs of each chunk
}

// NewPoints selects n elements of an array in the chunks of a grid; at has a list of n coordinates,
// all inside the array, for each axis. The lists are kept and not changed.
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

// compare orders two points by their chunks, these in C order.
func (p *Points) compare(i, j int) int {
	for d := range p.chunk {
		a := &p.chunk[d]
		if by := cmp.Compare(a.number(p.at[d][i]), a.number(p.at[d][j])); by != 0 {
			return by
		}
	}
	return 0
}

// Shape is one axis, of the number of points.
func (p *Points) Shape() []int { return []int{p.n} }

// Len is the number of points.
func (p *Points) Len() (n int, ok bool) { return p.n, true }

// Touched is the number of chunks that hold a point. The chunks are those that the points were made
// for.
func (p *Points) Touched([]Axis) int { return len(p.ends) }

// Chunks yields the chunks that hold a point, in C order. They are those that the points were made
// for.
func (p *Points) Chunks([]Axis) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		for i := range p.ends {
			if !yield(p.Box(i)) {
				return
			}
		}
	}
}

// Box is the i-th chunk that holds a point.
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

// pairsCover is Covers of a box of Points. It takes no more memory than they do, however long the
// chunk is.
func (b Box) pairsCover(shape []int, axes []Axis) bool {
	left := 1 // elements of the chunk that lie inside the array
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

// CutPairs gives the pairs of a box of a chunk of a shape as the points of its inner chunks: Coord
// and Off count from the chunk's start, To from where those of b do.
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

// copyPairs copies elements of size bytes between a region and a chunk.
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
