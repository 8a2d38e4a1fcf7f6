package grid

import (
	"iter"
	"math"
	"slices"
)

// Slice selects Count elements of one axis: the elements Start, Start+Step, …, or those in Index.
// Step must not be 0. A negative Step goes backwards.
type Slice struct {
	Start, Step, Count int
	Index              []int // if not nil, the Count selected indices in any order; Start and Step are then unused
}

// Region is a selection with one Slice for each axis. All selected elements are within the array.
type Region []Slice

// Part is the piece of a Slice in one chunk.
type Part struct {
	Chunk int   // position of the chunk along the axis
	Off   int   // first selected element, counted from the chunk's start
	Step  int   // distance between selected elements, not 0
	N     int   // number of selected elements in the chunk
	Out   int   // position in the region of the first selected element
	At    []int // for an Index, the selected elements instead of Off and Step
	To    []int // for an Index, their positions in the region instead of Out
}

// Shape returns the number of elements selected on each axis.
func (r Region) Shape() []int {
	s := make([]int, len(r))
	for i, a := range r {
		s[i] = a.Count
	}
	return s
}

// Len returns the number of elements. ok is false if the number exceeds the range of int.
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

// Whole returns the region that selects all elements of an array.
func Whole(shape []int) Region {
	r := make(Region, len(shape))
	for i, n := range shape {
		r[i] = Slice{Start: 0, Step: 1, Count: n}
	}
	return r
}

// part returns the piece of s that starts at the j-th selected element.
func (s Slice) part(j int, axis Axis) Part {
	c, edge, off := axis.Locate(s.Start + j*s.Step)
	return Part{Chunk: c, Off: off, Step: s.Step, N: min(s.within(off, edge), s.Count-j), Out: j}
}

// within returns the number of elements that s selects in a range of n elements. off is the offset
// in the range of the first selected element.
func (s Slice) within(off, n int) int {
	if s.Step > 0 {
		return (n-off-1)/s.Step + 1
	}
	return off/-s.Step + 1
}

// listed returns the pieces of an Index in the order of their chunks. The elements of a piece keep
// their order, so that the last write takes effect if an element is written several times.
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
	for i, j := range order { // at is reused for the offsets
		_, _, at[i] = axis.Locate(s.Index[j])
	}
	return parts
}

// walker iterates over the pieces of one axis.
type walker struct {
	s    Slice
	axis Axis
	list []Part // pieces of an Index
	i    int    // index in list
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

// next advances to the next piece. It returns false at the end.
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

// slice returns p as a slice of the elements of its chunk.
func (p Part) slice() Slice { return Slice{Start: p.Off, Step: p.Step, Count: p.N, Index: p.At} }

// Touched returns the number of pieces that AppendCut appends.
func (p Part) Touched(inner int) int { return p.slice().Touched(Axis{edge: inner}) }

// AppendCut divides p among the inner chunks of its chunk and appends the pieces to parts. In the
// pieces, Chunk is the position of an inner chunk in the chunk of p, Off and At are relative to the
// inner chunk, and Out and To are relative to the region.
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

// Box is a chunk that a selection touches, with the selected elements.
type Box struct {
	Coord []int  // the chunk's position in the grid
	Parts []Part // one for each axis
	Pairs []Pair // for Points, the selected elements instead of Parts
}

// Chunks yields, once, each chunk of a grid that the region touches. The chunks are in C order if
// no step is negative. The caller may retain a Box, but must not modify At and To of its parts. A
// region without elements touches no chunk. A region without axes touches one chunk.
func (r Region) Chunks(chunk []Axis) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		w := make(walkers, len(r))
		for more := w.start(r, chunk); more && yield(makeBox(w)); more = w.next() {
		}
	}
}

// Runs divides the sequence of Chunks into runs; see [Selection].
func (r Region) Runs(chunk []Axis, length func(i int) int) iter.Seq[iter.Seq[Box]] {
	return func(yield func(iter.Seq[Box]) bool) {
		w, i := make(walkers, len(r)), 0
		for more := w.start(r, chunk); more; {
			from, n := slices.Clone(w), length(i)
			if !yield(func(yield func(Box) bool) {
				w := slices.Clone(from)
				for k, more := 0, true; k < n && more && yield(makeBox(w)); k++ {
					more = w.next()
				}
			}) {
				return
			}
			for end := i + n; i < end && more; i++ {
				more = w.next()
			}
		}
	}
}

// walkers iterate over the chunks that a region touches. There is one walker for each axis.
type walkers []walker

// start moves the walkers to the first chunk. It returns false if the region touches no chunk.
func (w walkers) start(r Region, chunk []Axis) bool {
	for _, s := range r {
		if s.Count == 0 {
			return false
		}
	}
	for i, s := range r {
		w[i] = newWalker(s, chunk[i])
	}
	return true
}

// next advances to the next chunk. It returns false at the end.
func (w walkers) next() bool {
	i := len(w) - 1
	for ; i >= 0 && !w[i].next(); i-- {
		w[i].rewind()
	}
	return i >= 0
}

// Touched returns the number of chunks that the region touches, at most math.MaxInt. It does not
// iterate over the chunks.
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

// Touched returns the number of chunks that the slice touches.
func (s Slice) Touched(axis Axis) int {
	switch {
	case s.Count == 0:
		return 0
	case s.Index != nil:
		return len(s.listed(axis))
	case axis.runs == nil:
		return s.touched(axis.edge)
	}
	// Add up the counts of the runs. Each chunk is in one run.
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

// touched returns the number of chunks of length edge that s touches. s must have elements and must
// not have an Index.
func (s Slice) touched(edge int) int {
	if max(s.Step, -s.Step) >= edge {
		return s.Count // each selected element is in another chunk
	}
	first, last := s.Start/edge, (s.Start+(s.Count-1)*s.Step)/edge
	return max(first-last, last-first) + 1
}

func makeBox(axes walkers) Box {
	b := MakeBox(len(axes))
	for i := range axes {
		b.Parts[i], b.Coord[i] = axes[i].Part, axes[i].Chunk
	}
	return b
}

// MakeBox returns a box of n axes, which the caller sets. It makes as few allocations as possible.
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

// Count returns the number of chunks along each axis of an array.
func Count(shape, chunk []int) []int {
	n := make([]int, len(shape))
	for i := range shape {
		n[i] = Axis{edge: chunk[i]}.Count(shape[i])
	}
	return n
}

// Covers reports whether the box selects all elements of its chunk that are within an array of this
// shape.
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

// distinct returns the number of different elements that the piece selects in a chunk of length
// chunk. For a long Index that is too short to cover the chunk, it may count an element twice.
func (p Part) distinct(chunk int) int {
	if p.At == nil {
		return p.N
	}
	if p.N > 1<<16 && p.N < chunk/2 {
		return p.N // too few elements to cover the chunk
	}
	seen := make(map[int]struct{}, p.N)
	for _, i := range p.At {
		seen[i] = struct{}{}
	}
	return len(seen)
}

// All returns the box that selects all elements of a chunk of this shape, in a region of the same
// shape.
func All(shape []int) Box {
	b := MakeBox(len(shape))
	for i, n := range shape {
		b.Parts[i] = Part{Step: 1, N: n}
	}
	return b
}

// Len returns the number of elements that the box selects. It counts an element as often as the box
// selects it.
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

// Full reports whether the box selects every element of a chunk of this shape, in order.
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

// Contiguous reports whether the selected elements are contiguous in a region of this shape. off is
// the index of the first element.
func (b Box) Contiguous(region []int) (off int, ok bool) {
	if b.Pairs != nil {
		return 0, false
	}
	off, ok = 0, true
	whole := true // true if the box spans all axes after i
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
