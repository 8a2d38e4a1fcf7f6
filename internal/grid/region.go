package grid

import (
	"iter"
	"math"
	"slices"
)

// Slice selects Count elements of one axis: Start, Start+Step, …, or those of Index. Step is not 0;
// a negative one goes backwards.
type Slice struct {
	Start, Step, Count int
	Index              []int // when not nil, the Count elements themselves, in any order; Start and Step mean nothing
}

// Region is what a selection resolves to: one Slice for each axis, all inside the array.
type Region []Slice

// Part is the piece of a Slice that lies in one chunk.
type Part struct {
	Chunk int   // position of the chunk along the axis
	Off   int   // first selected element, counted from the chunk's start
	Step  int   // distance between selected elements, not 0
	N     int   // number of selected elements in the chunk
	Out   int   // position of the first of them in the region
	At    []int // of an Index: the selected elements in place of Off and Step
	To    []int // of an Index: their positions in the region in place of Out
}

// Shape is the region's shape: the number of elements selected on each axis.
func (r Region) Shape() []int {
	s := make([]int, len(r))
	for i, a := range r {
		s[i] = a.Count
	}
	return s
}

// Len is the number of elements; not ok where an int does not hold it.
func (r Region) Len() (n int, ok bool) {
	n, ok = 1, true
	for _, a := range r {
		if a.Count == 0 {
			return 0, true
		}
		if n > math.MaxInt/a.Count {
			ok = false
		}
		n *= a.Count
	}
	return n, ok
}

// Whole is the region that selects all of an array.
func Whole(shape []int) Region {
	r := make(Region, len(shape))
	for i, n := range shape {
		r[i] = Slice{Start: 0, Step: 1, Count: n}
	}
	return r
}

// part is the piece of s in the chunk that holds its j-th element.
func (s Slice) part(j int, axis Axis) Part {
	c, edge, off := axis.Locate(s.Start + j*s.Step)
	return Part{Chunk: c, Off: off, Step: s.Step, N: min(s.within(off, edge), s.Count-j), Out: j}
}

// within is how many steps s takes in a stretch of n elements, from its off-th on, that one
// included.
func (s Slice) within(off, n int) int {
	if s.Step > 0 {
		return (n-off-1)/s.Step + 1
	}
	return off/-s.Step + 1
}

// listed gives the pieces of an Index, in the order of their chunks. In a piece the elements keep
// their order, so that of an element that is there twice the last write stays.
func (s Slice) listed(axis Axis) []Part {
	order, at := make([]int, s.Count), make([]int, s.Count)
	for i, pos := range s.Index {
		order[i], at[i] = i, axis.number(pos)
	}
	slices.SortStableFunc(order, func(i, j int) int { return at[i] - at[j] })
	var parts []Part
	for lo := 0; lo < s.Count; {
		c := at[order[lo]]
		hi := lo + 1
		for hi < s.Count && at[order[hi]] == c {
			hi++
		}
		parts = append(parts, Part{Chunk: c, N: hi - lo, Step: 1, At: at[lo:hi:hi], To: order[lo:hi:hi]})
		lo = hi
	}
	for i, j := range order { // the numbers of chunks are done with
		_, _, at[i] = axis.Locate(s.Index[j])
	}
	return parts
}

// walker goes through the pieces of one axis.
type walker struct {
	s    Slice
	axis Axis
	list []Part // of an Index
	i    int    // of list
	Part
}

func newWalker(s Slice, axis Axis) walker {
	w := walker{s: s, axis: axis}
	if s.Index != nil {
		w.list = s.listed(axis)
	}
	w.rewind()
	return w
}

func (w *walker) rewind() {
	if w.i = 0; w.list != nil {
		w.Part = w.list[0]
		return
	}
	w.Part = w.s.part(0, w.axis)
}

// next goes on to the next piece; false at the end.
func (w *walker) next() bool {
	if w.list != nil {
		if w.i++; w.i == len(w.list) {
			return false
		}
		w.Part = w.list[w.i]
		return true
	}
	j := w.Out + w.N
	if j == w.s.Count {
		return false
	}
	w.Part = w.s.part(j, w.axis)
	return true
}

// slice is the piece as a slice of its chunk.
func (p Part) slice() Slice { return Slice{Start: p.Off, Step: p.Step, Count: p.N, Index: p.At} }

// Touched is the number of pieces that AppendCut appends.
func (p Part) Touched(inner int) int { return p.slice().Touched(Axis{edge: inner}) }

// AppendCut appends the pieces of a piece in the inner chunks of its chunk: Chunk and Off count
// from the chunk's start, Out and To from where those of p do.
func (p Part) AppendCut(parts []Part, inner int) []Part {
	s := p.slice()
	if p.N == 0 {
		return parts
	}
	for w := newWalker(s, Axis{edge: inner}); ; {
		q := w.Part
		if p.At == nil {
			q.Out += p.Out
		} else {
			to := make([]int, len(q.To))
			for i, j := range q.To {
				to[i] = p.To[j]
			}
			q.To = to
		}
		parts = append(parts, q)
		if !w.next() {
			return parts
		}
	}
}

// Box is a chunk that a region touches.
type Box struct {
	Coord []int  // the chunk's position in the grid
	Parts []Part // one for each axis
	Pairs []Pair // of Points: the elements one by one, in place of Parts
}

// Chunks yields the chunks of a grid that the region touches, each once, in C order of their
// positions where no step is negative. Each Box is the caller's to keep, but for its lists. A
// region of no elements yields nothing; one of no axes yields one chunk.
func (r Region) Chunks(chunk []Axis) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		for _, s := range r {
			if s.Count == 0 {
				return
			}
		}
		axes := make([]walker, len(r))
		for i, s := range r {
			axes[i] = newWalker(s, chunk[i])
		}
		for {
			if !yield(makeBox(axes)) {
				return
			}
			i := len(r) - 1
			for ; i >= 0 && !axes[i].next(); i-- {
				axes[i].rewind()
			}
			if i < 0 {
				return
			}
		}
	}
}

// Touched is the number of chunks that the region touches, by arithmetic alone; math.MaxInt where
// an int does not hold it.
func (r Region) Touched(chunk []Axis) int {
	n, most := 1, false
	for i, s := range r {
		k := s.Touched(chunk[i])
		if k == 0 {
			return 0
		}
		most = most || n > math.MaxInt/k
		n *= k
	}
	if most {
		return math.MaxInt
	}
	return n
}

// Touched is the number of chunks that the slice touches.
func (s Slice) Touched(axis Axis) int {
	switch {
	case s.Count == 0:
		return 0
	case s.Index != nil:
		return len(s.listed(axis))
	case axis.runs == nil:
		return s.touched(axis.edge)
	}
	// In a run the chunks have one length, and none is in two runs.
	n := 0
	for j := 0; j < s.Count; {
		k := axis.run(s.Start + j*s.Step)
		run := axis.runs[k]
		off := s.Start + j*s.Step - run.start
		m := min(s.within(off, axis.end(k)-run.start), s.Count-j)
		n += Slice{Start: off, Step: s.Step, Count: m}.touched(run.edge)
		j += m
	}
	return n
}

// touched is the number of chunks of one length that the slice, which has elements and no list,
// touches.
func (s Slice) touched(edge int) int {
	if max(s.Step, -s.Step) >= edge {
		return s.Count // every selected element lies in a chunk of its own
	}
	first, last := s.Start/edge, (s.Start+(s.Count-1)*s.Step)/edge
	return max(first-last, last-first) + 1
}

func makeBox(axes []walker) Box {
	b := MakeBox(len(axes))
	for i := range axes {
		b.Parts[i], b.Coord[i] = axes[i].Part, axes[i].Chunk
	}
	return b
}

// MakeBox makes a box of n axes, to be set, with as few allocations as these allow.
func MakeBox(n int) Box {
	var b Box
	switch {
	case n <= 2:
		room := new(struct {
			coord [2]int
			parts [2]Part
		})
		b.Coord, b.Parts = room.coord[:n:n], room.parts[:n:n]
	case n <= 4:
		room := new(struct {
			coord [4]int
			parts [4]Part
		})
		b.Coord, b.Parts = room.coord[:n:n], room.parts[:n:n]
	default:
		b.Coord, b.Parts = make([]int, n), make([]Part, n)
	}
	return b
}

// Count is the number of chunks of a shape along each axis of an array.
func Count(shape, chunk []int) []int {
	n := make([]int, len(shape))
	for i := range shape {
		n[i] = Axis{edge: chunk[i]}.Count(shape[i])
	}
	return n
}

// Covers reports whether the box selects every element of its chunk that lies inside an array of
// the given shape.
func (b Box) Covers(shape []int, chunk []Axis) bool {
	if b.Pairs != nil {
		return b.pairsCover(shape, chunk)
	}
	for i, p := range b.Parts {
		start, edge := chunk[i].Chunk(p.Chunk)
		if p.distinct(edge) != min(edge, shape[i]-start) {
			return false
		}
	}
	return true
}

// distinct is the number of different elements of the piece.
func (p Part) distinct(chunk int) int {
	if p.At == nil {
		return p.N
	}
	if p.N > 1<<16 && p.N < chunk/2 {
		return p.N // may count some twice, but cannot be all of the chunk
	}
	seen := make(map[int]struct{}, p.N)
	for _, i := range p.At {
		seen[i] = struct{}{}
	}
	return len(seen)
}

// All is the box that selects all of a chunk of a shape, in a region that has no more.
func All(shape []int) Box {
	b := MakeBox(len(shape))
	for i, n := range shape {
		b.Parts[i] = Part{Step: 1, N: n}
	}
	return b
}

// Len is the number of elements that the box selects. One that is selected twice is two.
func (b Box) Len() int {
	if b.Pairs != nil {
		return len(b.Pairs)
	}
	n := 1
	for i := range b.Parts {
		n *= b.Parts[i].N
	}
	return n
}

// Full reports whether the box selects every element of its chunk, which has the given shape, in
// order, the chunk being wholly inside the array.
func (b Box) Full(chunk []int) bool {
	if b.Pairs != nil {
		return false
	}
	for i, p := range b.Parts {
		if p.N != chunk[i] || p.At != nil || (p.Step != 1 && p.N > 1) {
			return false
		}
	}
	return true
}

// Contiguous reports whether the selected elements lie without gaps in the region of the given
// shape, and where, in elements, they begin.
func (b Box) Contiguous(region []int) (off int, ok bool) {
	if b.Pairs != nil {
		return 0, false
	}
	off, ok = 0, true
	whole := true // all axes after i are taken whole
	stride := 1
	for i := len(region) - 1; i >= 0; i-- {
		p := b.Parts[i]
		if p.At != nil || !whole && p.N != 1 {
			ok = false
		}
		whole = whole && p.N == region[i]
		off += p.Out * stride
		stride *= region[i]
	}
	return off, ok
}
