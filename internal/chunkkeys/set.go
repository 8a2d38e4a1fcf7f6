package chunkkeys

import (
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Set is a set of positions in a grid. It takes memory for what is in it, whatever the size of the
// grid: a bit for each position of a dense set, at most 600 bytes for each of a sparse one. It is
// not safe for concurrent use.
type Set struct {
	grid   []int
	blocks map[uint64]*[blockWords]uint64
	n      uint64
}

// blockWords is the size of a block. 64 words are 4096 positions: a sparse set takes one block for
// each.
const blockWords = 64

// NewSet makes an empty set.
func NewSet(grid []int) *Set { return &Set{grid: grid, blocks: map[uint64]*[blockWords]uint64{}} }

// index is the number of a position in C order; not ok where it is over 2^62, and is not kept.
func (s *Set) index(coord []int) (at uint64, ok bool) {
	for i, c := range coord {
		over, low := bits.Mul64(at, uint64(s.grid[i]))
		if at = low + uint64(c); over > 0 || at < low || at >= 1<<62 {
			return 0, false
		}
	}
	return at, true
}

// Keeps reports whether a set keeps all positions of a grid: there are no more than 2^62.
func Keeps(grid []int) bool {
	total := uint64(1)
	for _, n := range grid {
		over, low := bits.Mul64(total, uint64(n))
		if n == 0 {
			return true
		}
		if total = low; over > 0 || low > 1<<62 {
			total = 1<<62 + 1 // a dimension without positions may follow
		}
	}
	return total <= 1<<62
}

// Bytes is about how much memory the set takes.
func (s *Set) Bytes() int64 { return int64(len(s.blocks)) * (blockWords*8 + 88) }

// Add adds a position of the grid.
func (s *Set) Add(coord []int) {
	s.n++
	at, ok := s.index(coord)
	if !ok {
		return
	}
	b := s.blocks[at/(blockWords*64)]
	if b == nil {
		b = new([blockWords]uint64)
		s.blocks[at/(blockWords*64)] = b
	}
	b[at/64%blockWords] |= 1 << (at % 64)
}

// Has reports whether a position of the grid was added. Of a position after the first 2^62 it
// reports false.
func (s *Set) Has(coord []int) bool {
	at, ok := s.index(coord)
	return ok && s.has(at)
}

func (s *Set) has(at uint64) bool {
	b := s.blocks[at/(blockWords*64)]
	return b != nil && b[at/64%blockWords]&(1<<(at%64)) != 0
}

// total is the number of positions of the grid; math.MaxInt where there are more.
func (s *Set) total() uint64 {
	total := uint64(1)
	for _, n := range s.grid {
		over, low := bits.Mul64(total, uint64(n))
		if n == 0 {
			return 0
		}
		if total = low; over > 0 || low > math.MaxInt {
			total = math.MaxInt
		}
	}
	return total
}

// Missing is how many positions of the grid were not added, each of which was added once at most;
// math.MaxInt where there are more.
func (s *Set) Missing() int { return int(s.total() - min(s.n, s.total())) }

// Absent yields positions that were not added, in C order. A position is the receiver's until the
// next one.
func (s *Set) Absent() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		coord := make([]int, len(s.grid))
		for at := range s.total() {
			if s.has(at) {
				continue
			}
			rest := at
			for k := len(coord) - 1; k >= 0; k-- {
				coord[k], rest = int(rest%uint64(s.grid[k])), rest/uint64(s.grid[k])
			}
			if !yield(coord) {
				return
			}
		}
	}
}

// All yields the positions that were added, in C order. A position is the receiver's until the next
// one.
func (s *Set) All() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		coord := make([]int, len(s.grid))
		for _, k := range slices.Sorted(maps.Keys(s.blocks)) {
			for w, word := range s.blocks[k] {
				for ; word != 0; word &= word - 1 {
					rest := (k*blockWords+uint64(w))*64 + uint64(bits.TrailingZeros64(word))
					for i := len(coord) - 1; i >= 0; i-- {
						coord[i], rest = int(rest%uint64(s.grid[i])), rest/uint64(s.grid[i])
					}
					if !yield(coord) {
						return
					}
				}
			}
		}
	}
}
