package grid

import (
	"math"
	"slices"
	"sort"
)

// Axis cuts an axis of an array into chunks: all of one length, or runs of chunks of equal lengths.
// The zero Axis cuts nothing; it is made by [Even] or [Uneven]. It is immutable.
type Axis struct {
	edge int       // the length of every chunk, where runs is nil
	runs []segment // at least two
}

// segment is a run of chunks of one length. It ends where the next one begins; the last one has no
// end.
type segment struct {
	first int // number of its first chunk
	start int // where that begins
	edge  int // at least 1
}

// Run is Count chunks of length Edge, one after another; both are at least 1.
type Run struct{ Edge, Count int }

// Even is a regular grid: axes in chunks of the lengths of a shape.
func Even(chunk []int) []Axis {
	axes := make([]Axis, len(chunk))
	for i, n := range chunk {
		axes[i].edge = n
	}
	return axes
}

// Uneven cuts an axis of n elements by runs, whose lengths add up to n or more. What lies wholly
// beyond n is left out, so that nothing overflows, and neighbours of one length are joined: where
// one is left the axis is as of [Even]. It takes as much memory as there are runs, however many
// chunks.
func Uneven(n int, runs []Run) Axis {
	var all []segment
	first, start := 0, 0
	for _, r := range runs {
		if start >= n {
			break
		}
		if k := len(all); k == 0 || all[k-1].edge != r.Edge {
			all = append(all, segment{first, start, r.Edge})
		}
		if r.Count > (n-start)/r.Edge { // it reaches the end
			break
		}
		first += r.Count
		start += r.Count * r.Edge
	}
	switch len(all) {
	case 0: // no elements, and no chunks
		return Axis{edge: 1}
	case 1:
		return Axis{edge: all[0].edge}
	}
	return Axis{runs: slices.Clip(all)}
}

// number is the number of the chunk that holds an element.
func (a Axis) number(pos int) int {
	if a.runs == nil {
		return pos / a.edge
	}
	chunk, _, _ := a.locate(pos)
	return chunk
}

// Locate finds the chunk that holds an element: its number, its length, and the element counted
// from its start.
func (a Axis) Locate(pos int) (chunk, edge, off int) {
	if a.runs == nil {
		chunk = pos / a.edge
		return chunk, a.edge, pos - chunk*a.edge
	}
	return a.locate(pos)
}

func (a Axis) locate(pos int) (chunk, edge, off int) {
	s := a.runs[a.run(pos)]
	pos -= s.start
	return s.first + pos/s.edge, s.edge, pos % s.edge
}

// run finds the run that holds an element.
func (a Axis) run(pos int) int {
	return sort.Search(len(a.runs), func(i int) bool { return a.runs[i].start > pos }) - 1
}

// end is where the i-th run ends.
func (a Axis) end(i int) int {
	if i+1 < len(a.runs) {
		return a.runs[i+1].start
	}
	return math.MaxInt
}

// Chunk is where the i-th chunk begins, and its length, which the axis may end within.
func (a Axis) Chunk(i int) (start, edge int) {
	if a.runs == nil {
		return i * a.edge, a.edge
	}
	return a.chunk(i)
}

func (a Axis) chunk(i int) (start, edge int) {
	s := a.runs[sort.Search(len(a.runs), func(k int) bool { return a.runs[k].first > i })-1]
	return s.start + (i-s.first)*s.edge, s.edge
}

// Count is the number of chunks that hold elements of an axis of length n.
func (a Axis) Count(n int) int {
	if n == 0 {
		return 0
	}
	return a.number(n-1) + 1
}

// Edge is the length of all chunks, if they have one.
func (a Axis) Edge() (n int, ok bool) { return a.edge, a.runs == nil }

// Longest is the length of the longest chunk.
func (a Axis) Longest() int {
	n := a.edge
	for _, s := range a.runs {
		n = max(n, s.edge)
	}
	return n
}

// Divisor is the largest number that divides the lengths of all chunks.
func (a Axis) Divisor() int {
	n := a.edge
	for _, s := range a.runs {
		for d := s.edge; d != 0; {
			n, d = d, n%d
		}
	}
	return n
}

// Shape is the shape of all chunks of a grid, if they have one; nil otherwise.
func Shape(axes []Axis) []int {
	s := make([]int, len(axes))
	for i, a := range axes {
		n, ok := a.Edge()
		if !ok {
			return nil
		}
		s[i] = n
	}
	return s
}

// ShapeOf is the shape of the chunk at a position of a grid.
func ShapeOf(axes []Axis, coord []int) []int {
	s := make([]int, len(axes))
	for i, a := range axes {
		_, s[i] = a.Chunk(coord[i])
	}
	return s
}
