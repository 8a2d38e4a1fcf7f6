package grid

import (
	"math"
	"slices"
	"sort"
)

// Axis is the division of an axis of an array into chunks. Either all chunks have one length, or
// there are several runs of chunks of equal length. [Even] and [Uneven] return an Axis. The zero
// Axis is invalid. An Axis is immutable.
type Axis struct {
	edge int       // the length of every chunk if runs is nil
	runs []segment // at least two
}

// segment is a run of chunks of one length. It ends at the start of the next segment. The last
// segment is unbounded.
type segment struct {
	first int // number of its first chunk
	start int // index of its first element
	edge  int // chunk length, at least 1
}

// Run is a sequence of Count chunks of length Edge. Count and Edge are at least 1.
type Run struct{ Edge, Count int }

// Even returns the axes of a regular grid with chunks of this shape.
func Even(chunk []int) []Axis {
	axes := make([]Axis, len(chunk))
	for i, n := range chunk {
		axes[i].edge = n
	}
	return axes
}

// Uneven returns an axis of n elements, divided into the chunks of runs. The lengths of these
// chunks must add up to n or more.
//
// Uneven drops chunks beyond n, so that no number overflows, and joins adjacent runs of one length.
// If one run remains, the axis equals an axis that [Even] returns. If n is 0, the chunks have the
// length of the first run, because codecs such as sharding accept only chunks of certain lengths.
// The memory depends on the number of runs, not on the number of chunks.
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
		if r.Count > (n-start)/r.Edge { // the run reaches n
			break
		}
		first += r.Count
		start += r.Count * r.Edge
	}
	switch len(all) {
	case 0: // n is 0
		if len(runs) > 0 {
			return Axis{edge: runs[0].Edge}
		}
		return Axis{edge: 1}
	case 1:
		return Axis{edge: all[0].edge}
	}
	return Axis{runs: slices.Clip(all)}
}

// number returns the number of the chunk that contains index pos.
func (a Axis) number(pos int) int {
	if a.runs == nil {
		return pos / a.edge
	}
	chunk, _, _ := a.locate(pos)
	return chunk
}

// Locate returns the number and length of the chunk that contains index pos, and the offset of pos
// in this chunk.
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

// run returns the segment that contains index pos.
func (a Axis) run(pos int) int {
	return sort.Search(len(a.runs), func(i int) bool { return a.runs[i].start > pos }) - 1
}

// end returns the index of the first element after segment i.
func (a Axis) end(i int) int {
	if i+1 < len(a.runs) {
		return a.runs[i+1].start
	}
	return math.MaxInt
}

// Chunk returns the first index and the length of chunk i. The last chunk may extend beyond the
// array.
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

// Count returns the number of chunks of an axis with n elements.
func (a Axis) Count(n int) int {
	if n == 0 {
		return 0
	}
	return a.number(n-1) + 1
}

// Edge returns the length of the chunks. ok is false if the chunks differ in length.
func (a Axis) Edge() (n int, ok bool) { return a.edge, a.runs == nil }

// Longest returns the length of the longest chunk.
func (a Axis) Longest() int {
	n := a.edge
	for _, s := range a.runs {
		n = max(n, s.edge)
	}
	return n
}

// Divisor returns the greatest common divisor of the chunk lengths.
func (a Axis) Divisor() int {
	n := a.edge
	for _, s := range a.runs {
		for d := s.edge; d != 0; {
			n, d = d, n%d
		}
	}
	return n
}

// Shape returns the shape of the chunks of a grid, or nil if the chunks differ in shape.
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

// ShapeOf returns the shape of the chunk at a position of a grid.
func ShapeOf(axes []Axis, coord []int) []int {
	s := make([]int, len(axes))
	for i, a := range axes {
		_, s[i] = a.Chunk(coord[i])
	}
	return s
}
