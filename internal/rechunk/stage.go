package rechunk

import (
	"cmp"
	"math"
	"slices"
)

// effort is how many blocks are tried along an axis; four times as many of their products are kept
// at once.
type effort int

// coarse is for the chains that a search looks at.
const coarse effort = 6

// fine is for the one it finds: less where there are more axes, so that it takes as long.
func (s *solver) fine() effort { return effort(max(16, 256/max(1, len(s.shape)))) }

// stage is one copy, with the block that was chosen for it.
type stage struct {
	block      []int64
	gets, puts int64
	read       int64 // bytes
	fitted     bool  // the block that cuts no chunk is too large
}

// partial is blocks of some of the axes.
type partial struct {
	volume int64
	length int64 // what is read, in elements, with what requests cost along rows: the product over the axes
	from   int   // its place among those of the axes before
	block  int64 // of the last axis
}

// stage chooses the block of the copy from chain[i] to chain[i+1]: the one that reads least, and of
// those the smallest. It reports whether there is one that fits into memory.
func (s *solver) stage(chain [][]int64, i int, e effort) (stage, bool) {
	read, write := chain[i], chain[i+1]
	unit := max(s.bytes(chain, i), s.bytes(chain, i+1))
	room := (s.memory - min(times(2, unit), s.memory)) / s.item // elements
	if volume(write) > room {
		return stage{}, false
	}
	rows := -1
	if i == 0 {
		rows = s.rows
	}
	block := s.aligned(read, write)
	fitted := volume(block) > room
	if fitted {
		block = s.fitting(read, write, room, e, rows)
	}
	out := stage{block: block, gets: 1, puts: chunks(s.shape, write), read: s.item, fitted: fitted}
	for a, n := range s.shape {
		count, length := pieces(n, read[a], block[a])
		if a == rows {
			length = n
		}
		out.gets, out.read = times(out.gets, count), times(out.read, length)
	}
	return out, true
}

// bytes is the size of a chunk of an array of the chain.
func (s *solver) bytes(chain [][]int64, i int) int64 {
	switch i {
	case 0:
		return s.fromBytes
	case len(chain) - 1:
		return s.toBytes
	}
	return times(volume(chain[i]), s.item)
}

// aligned is the smallest block that cuts no chunk it reads.
func (s *solver) aligned(read, write []int64) []int64 {
	block := make([]int64, len(s.shape))
	for a, n := range s.shape {
		block[a] = lcm(read[a], write[a], n)
	}
	return block
}

// fitting is the best block of at most room elements, of those that are tried. One chunk that is
// written fits.
func (s *solver) fitting(read, write []int64, room int64, e effort, rows int) []int64 {
	levels := make([][]partial, len(s.shape))
	before := []partial{{volume: 1, length: 1}}
	rest := volume(write)
	for a, n := range s.shape {
		rest /= write[a] // the least that the axes after this one take
		var now []partial
		for _, b := range lengths(n, read[a], write[a], int(e)) {
			count, l := pieces(n, read[a], b)
			if a == rows { // bytes are read once, and requests cost as much as so many more
				l = plus(n, times(count, max(1, s.get/times(s.item, volume(read)/read[a]))))
			}
			for i, p := range before {
				if v := times(p.volume, b); times(v, rest) <= room {
					now = append(now, partial{v, times(p.length, l), i, b})
				}
			}
		}
		before = frontier(now, 4*int(e))
		levels[a] = before
	}
	block := make([]int64, len(s.shape))
	at := len(before) - 1 // what reads least is last
	for a := len(s.shape) - 1; a >= 0; a-- {
		p := levels[a][at]
		block[a], at = p.block, p.from
	}
	return block
}

// frontier keeps those that read less than all smaller ones, in order of volume, and thins them out
// to at most n; the first and the last stay.
func frontier(all []partial, n int) []partial {
	slices.SortFunc(all, func(x, y partial) int {
		return cmp.Or(cmp.Compare(x.volume, y.volume), cmp.Compare(x.length, y.length), cmp.Compare(x.from, y.from), cmp.Compare(x.block, y.block))
	})
	kept := all[:0]
	for _, p := range all {
		if len(kept) == 0 || p.length < kept[len(kept)-1].length {
			kept = append(kept, p)
		}
	}
	return thin(kept, n)
}

// thin keeps n at even distances, or all where there are no more.
func thin[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	out := make([]T, n)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(n-1)]
	}
	return out
}

// lengths are the lengths of blocks worth trying along an axis, ascending: multiples of write, or
// n. The shortest is write. They cut the axis into numbers of blocks about a geometric series, or
// are aligned with read.
func lengths(n, read, write int64, most int) []int64 {
	out := []int64{write, n, lcm(read, write, n), roundUp(read, write, n)}
	whole := ceil(n, write)
	ratio := math.Pow(float64(whole), 1/float64(most))
	for i := 1; i < most; i++ {
		count := max(1, int64(math.Pow(ratio, float64(i)))) // of blocks
		out = append(out, roundUp(ceil(n, count), write, n))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
