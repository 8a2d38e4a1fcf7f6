package lzma

import (
	"encoding/binary"
	"math/bits"
)

// finder finds matches in the earlier input. It has a list of positions for each hash of four
// bytes, and the latest position of each hash of two bytes and of three bytes. The caller must pass
// every position once, in order, to either of the methods "at" and "insert".
type finder struct {
	src   []byte
	far   int // maximum distance
	nice  int
	depth int

	last  [3][]int32 // latest position with the hash of two, three and four bytes, plus one
	older []int32    // for each position, the previous one with the same hash of four bytes, plus one
	found []match    // the matches of the last position passed to "at"
}

func (f *finder) reset(src []byte, c Coder) {
	f.src, f.far = src, min(c.DictSize, max(len(src), 1))
	f.nice, f.depth = min(max(c.Nice, minMatch+3), maxMatch), max(c.Depth, 1)
	size := min(max(bits.Len(uint(len(src))), 10), 20)
	for k, n := range [3]int{16, min(size, 16), size} {
		f.last[k] = cleared(f.last[k], 1<<n)
	}
	if n := f.far + 1; cap(f.older) >= n {
		f.older = f.older[:n]
	} else {
		f.older = make([]int32, n)
	}
}

// match is a match of n bytes. dist is its distance minus one.
type match struct{ n, dist int32 }

// symbol returns the symbol of the match.
func (m match) symbol() symbol { return symbol{m.n, uint32(m.dist) + 4} }

func cleared(b []int32, n int) []int32 {
	if cap(b) < n {
		return make([]int32, n)
	}
	b = b[:n]
	clear(b)
	return b
}

// insert adds a position, and returns the previous positions with the same hashes of two, three and
// four bytes, or -1. It adds none of the last three positions, which are too near the end.
func (f *finder) insert(pos int) (before [3]int) {
	if len(f.src)-pos < 4 {
		return [3]int{-1, -1, -1}
	}
	v := binary.LittleEndian.Uint32(f.src[pos:])
	for k, h := range [3]uint32{v & 0xffff, v << 8 * 0x9e3779b1, v * 0x9e3779b1} {
		last := f.last[k]
		if k > 0 {
			h >>= 33 - bits.Len(uint(len(last)))
		}
		before[k] = int(last[h]) - 1
		last[h] = int32(pos + 1)
	}
	f.older[pos%len(f.older)] = int32(before[2] + 1)
	return before
}

// at adds a position and sets found to its matches. Each match is longer than the previous one and
// has the smallest distance for its length.
func (f *finder) at(pos int) {
	f.found = f.found[:0]
	before := f.insert(pos)
	best := 1
	for _, at := range before[:2] {
		best = f.try(pos, at, best)
	}
	at := before[2]
	for left := f.depth; left > 0 && at >= 0 && pos-at <= f.far && best < f.nice; left-- {
		best = f.try(pos, at, best)
		at = int(f.older[at%len(f.older)]) - 1
	}
}

// try appends the match with an earlier position if it is longer than best, and returns the length
// of the longest match.
func (f *finder) try(pos, at, best int) int {
	limit := min(len(f.src)-pos, f.nice)
	if at < 0 || pos-at > f.far || best >= limit || f.src[at+best] != f.src[pos+best] {
		return best
	}
	n := 0
	for n < limit && f.src[at+n] == f.src[pos+n] {
		n++
	}
	if n <= best {
		return best
	}
	f.found = append(f.found, match{int32(n), int32(pos - at - 1)})
	return n
}
