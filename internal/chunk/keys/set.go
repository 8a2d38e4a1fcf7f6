package keys

import (
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Set is a set of positions in a grid. Its memory depends on the number of positions added, not on
// the size of the grid. A dense set takes one bit per position, and a sparse set at most 600 bytes
// per position. A Set is not safe for concurrent use.
type Set struct {
	grid   []int
	blocks map[uint64]*[blockWords]uint64
	n      uint64
}

// blockWords is the number of 64-bit words in a block. A block has 4096 positions. In a sparse set
// each position needs a block of its own.
const blockWords = 64

// NewSet returns an empty set of positions in grid.
func NewSet(grid []int) *Set { return &Set{grid: grid, blocks: map[uint64]*[blockWords]uint64{}} }

// index returns the index of a position in C order. ok is false if the index is 2^62 or more. Such
// positions are not stored.
func (s *Set) index(coord []int) (at uint64, ok bool) {
	for i, c := range coord {
		over, low := bits.Mul64(at, uint64(s.grid[i]))
		if at = low + uint64(c); over > 0 || at < low || at >= 1<<62 {
			return 0, false
		}
	}
	return at, true
}

// Keeps reports whether a set can store all positions of a grid. Such a grid has at most 2^62
// positions.
func Keeps(grid []int) bool {
	total := uint64(1)
	for _, n := range grid {
		over, low := bits.Mul64(total, uint64(n))
		if n == 0 {
			return true
		}
		if total = low; over > 0 || low > 1<<62 {
			total = 1<<62 + 1 // a later axis may have length 0
		}
	}
	return total <= 1<<62
}

// Bytes returns the approximate memory of the set in bytes.
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

// Has reports whether a position of the grid was added. It returns false if the index of the
// position is 2^62 or more, because such positions are not stored.
func (s *Set) Has(coord []int) bool {
	at, ok := s.index(coord)
	return ok && s.has(at)
}

func (s *Set) has(at uint64) bool {
	b := s.blocks[at/(blockWords*64)]
	return b != nil && b[at/64%blockWords]&(1<<(at%64)) != 0
}

// total returns the number of positions of the grid, at most math.MaxInt.
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

// Missing returns the number of positions that were not added, at most math.MaxInt. Each position
// must have been added at most once.
func (s *Set) Missing() int { return int(s.total() - min(s.n, s.total())) }

// Absent yields the positions that were not added, in C order. The slice is valid until the next
// iteration.
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

// All yields the positions that were added, in C order. The slice is valid until the next
// iteration.
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
