package grid

import "iter"

// Slice selects Count elements of one axis: Start, Start+Step, …; Step is positive.
type Slice struct {
	Start, Step, Count int
}

// Region is what a selection resolves to: one Slice for each axis, all inside the array.
type Region []Slice

// Part is the piece of a Slice that lies in one chunk.
type Part struct {
	Chunk int // position of the chunk along the axis
	Off   int // first selected element, counted from the chunk's start
	Step  int // distance between selected elements
	N     int // number of selected elements in the chunk
	Out   int // position of the first of them in the region
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
	n := min((chunk-off-1)/s.Step+1, s.Count-j)
	return Part{Chunk: c, Off: off, Step: s.Step, N: n, Out: j}
}

// Box is a chunk that a region touches.
type Box struct {
	Coord []int  // the chunk's position in the grid
	Parts []Part // one for each axis
}

// Chunks yields the chunks of the given shape that the region touches, in C order of their positions. Each Box is the
// caller's to keep. A region of no elements yields nothing; one of no axes yields one chunk.
func (r Region) Chunks(chunk []int) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		parts := make([]Part, len(r))
		for i, s := range r {
			if s.Count == 0 {
				return
			}
			parts[i] = s.part(0, chunk[i])
		}
		for {
			if !yield(makeBox(parts)) {
				return
			}
			i := len(r) - 1
			for ; i >= 0; i-- {
				if next := parts[i].Out + parts[i].N; next < r[i].Count {
					parts[i] = r[i].part(next, chunk[i])
					break
				}
				parts[i] = r[i].part(0, chunk[i])
			}
			if i < 0 {
				return
			}
		}
	}
}

func makeBox(parts []Part) Box {
	b := Box{Coord: make([]int, len(parts)), Parts: make([]Part, len(parts))}
	copy(b.Parts, parts)
	for i, p := range parts {
		b.Coord[i] = p.Chunk
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
	for i, p := range b.Parts {
		inside := min(chunk[i], shape[i]-p.Chunk*chunk[i])
		if p.Off != 0 || p.N != inside || (p.Step != 1 && p.N > 1) {
			return false
		}
	}
	return true
}

// Full tells whether the box selects every element of its chunk, the chunk being wholly inside the array.
func (b Box) Full(chunk []int) bool {
	for i, p := range b.Parts {
		if p.N != chunk[i] || (p.Step != 1 && p.N > 1) {
			return false
		}
	}
	return true
}

// Contiguous tells whether the selected elements lie without gaps in the region of the given shape, and where, in
// elements, they begin.
func (b Box) Contiguous(region []int) (off int, ok bool) {
	off, ok = 0, true
	whole := true // all axes after i are taken whole
	stride := 1
	for i := len(region) - 1; i >= 0; i-- {
		p := b.Parts[i]
		if !whole && p.N != 1 {
			ok = false
		}
		whole = whole && p.N == region[i]
		off += p.Out * stride
		stride *= region[i]
	}
	return off, ok
}
