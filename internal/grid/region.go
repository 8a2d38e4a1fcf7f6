package grid

import (
	"iter"
	"slices"
)

// Slice selects Count elements of one axis: Start, Start+Step, …, or those of Index. Step is not 0; a negative one goes
// backwards.
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

// Whole is the region that selects all of an array.
func Whole(shape []int) Region {
	r := make(Region, len(shape))
	for i, n := range shape {
		r[i] = Slice{Start: 0, Step: 1, Count: n}
	}
	return r
}

// part is the piece of s in the chunk that holds its j-th element.
func (s Slice) part(j, chunk int) Part {
	pos := s.Start + j*s.Step
	c := pos / chunk
	off := pos - c*chunk
	n := off/max(-s.Step, 1) + 1
	if s.Step > 0 {
		n = (chunk-off-1)/s.Step + 1
	}
	return Part{Chunk: c, Off: off, Step: s.Step, N: min(n, s.Count-j), Out: j}
}

// listed gives the pieces of an Index, in the order of their chunks. In a piece the elements keep their order, so that of
// an element that is there twice the last write stays.
func (s Slice) listed(chunk int) []Part {
	order := make([]int, s.Count)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return s.Index[i]/chunk - s.Index[j]/chunk })
	at := make([]int, s.Count)
	for i, j := range order {
		at[i] = s.Index[j] % chunk
	}
	var parts []Part
	for lo := 0; lo < s.Count; {
		c := s.Index[order[lo]] / chunk
		hi := lo + 1
		for hi < s.Count && s.Index[order[hi]]/chunk == c {
			hi++
		}
		parts = append(parts, Part{Chunk: c, N: hi - lo, Step: 1, At: at[lo:hi:hi], To: order[lo:hi:hi]})
		lo = hi
	}
	return parts
}

// walker goes through the pieces of one axis.
type walker struct {
	s     Slice
	chunk int
	list  []Part // of an Index
	i     int    // of list
	Part
}

func newWalker(s Slice, chunk int) *walker {
	w := &walker{s: s, chunk: chunk}
	if s.Index != nil {
		w.list = s.listed(chunk)
	}
	w.rewind()
	return w
}

func (w *walker) rewind() {
	if w.i = 0; w.list != nil {
		w.Part = w.list[0]
		return
	}
	w.Part = w.s.part(0, w.chunk)
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
	w.Part = w.s.part(j, w.chunk)
	return true
}

// Cut gives the pieces of a piece in the inner chunks of its chunk: Chunk and Off count from the chunk's start, Out and To
// from where those of p do.
func (p Part) Cut(inner int) []Part {
	s := Slice{Start: p.Off, Step: p.Step, Count: p.N, Index: p.At}
	if p.N == 0 {
		return nil
	}
	var parts []Part
	for w := newWalker(s, inner); ; {
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

// Chunks yields the chunks of the given shape that the region touches, each once, in C order of their positions where no
// step is negative. Each Box is the caller's to keep, but for its lists. A region of no elements yields nothing; one of no
// axes yields one chunk.
func (r Region) Chunks(chunk []int) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		for _, s := range r {
			if s.Count == 0 {
				return
			}
		}
		axes := make([]*walker, len(r))
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

// Touched is the number of chunks that the region touches, by arithmetic alone.
func (r Region) Touched(chunk []int) int {
	n := 1
	for i, s := range r {
		switch {
		case s.Count == 0:
			return 0
		case s.Index != nil:
			n *= len(s.listed(chunk[i]))
		case max(s.Step, -s.Step) >= chunk[i]:
			n *= s.Count // every selected element lies in a chunk of its own
		default:
			first, last := s.Start/chunk[i], (s.Start+(s.Count-1)*s.Step)/chunk[i]
			n *= max(first-last, last-first) + 1
		}
	}
	return n
}

func makeBox(axes []*walker) Box {
	b := Box{Coord: make([]int, len(axes)), Parts: make([]Part, len(axes))}
	for i, w := range axes {
		b.Parts[i], b.Coord[i] = w.Part, w.Chunk
	}
	return b
}

// Count is the number of chunks along each axis of an array.
func Count(shape, chunk []int) []int {
	n := make([]int, len(shape))
	for i := range shape {
		n[i] = shape[i] / chunk[i]
		if shape[i]%chunk[i] != 0 {
			n[i]++
		}
	}
	return n
}

// Covers tells whether the box selects every element of its chunk that lies inside an array of the given shape.
func (b Box) Covers(shape, chunk []int) bool {
	if b.Pairs != nil {
		return b.pairsCover(shape, chunk)
	}
	for i, p := range b.Parts {
		if p.distinct(chunk[i]) != min(chunk[i], shape[i]-p.Chunk*chunk[i]) {
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

// Full tells whether the box selects every element of its chunk in order, the chunk being wholly inside the array.
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

// Contiguous tells whether the selected elements lie without gaps in the region of the given shape, and where, in
// elements, they begin.
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
