package rechunk

import (
	"cmp"
	"math"
	"slices"
)

// stage is one copy with the chosen block.
type stage struct {
	block      []int64
	gets, puts int64
	read       int64 // bytes that the stage reads
	fitted     bool  // the smallest block that cuts no chunk does not fit in memory
}

// coarse is the effort for the chains of a search.
const coarse effort = 6

// partial is a block whose lengths are chosen along the first axes only.
type partial struct {
	volume int64
	length int64 // elements read, including the cost of requests along rows; a product over the axes
	from   int   // index of the partial without the last axis, in its level
	block  int64 // length along the last axis
}

// stage chooses the block of the copy from chain[i] to chain[i+1]. It chooses the smallest of the
// blocks that read the fewest elements. It reports whether a block fits in memory.
func (s *solver) stage(chain [][]int64, i int, e effort) (stage, bool) {
	read, write := chain[i], chain[i+1]
	unit := max(s.bytes(chain, i), s.bytes(chain, i+1))
	most := (s.memory - min(times(2, unit), s.memory)) / s.item // elements
	if volume(write) > most {
		return stage{}, false
	}
	rows := -1
	if i == 0 {
		rows = s.rows
	}
	block := s.aligned(read, write)
	fitted := volume(block) > most
	if fitted {
		block = s.fitting(read, write, most, e, rows)
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

// effort is the number of block lengths that are tried along an axis. The number of combinations
// that are kept at a time is at most four times the effort.
type effort int

// fine returns the effort for the final chain. The effort decreases with the number of axes, so
// that the time is about the same for all arrays.
func (s *solver) fine() effort { return effort(max(16, 256/max(1, len(s.shape)))) }

// bytes returns the size of a chunk of array i of the chain.
func (s *solver) bytes(chain [][]int64, i int) int64 {
	switch i {
	case 0:
		return s.fromBytes
	case len(chain) - 1:
		return s.toBytes
	}
	return times(volume(chain[i]), s.item)
}

// aligned returns the smallest block whose boundaries do not cut chunks that the block reads.
func (s *solver) aligned(read, write []int64) []int64 {
	block := make([]int64, len(s.shape))
	for a, n := range s.shape {
		block[a] = lcm(read[a], write[a], n)
	}
	return block
}

// fitting returns the best block that it finds with at most the volume most. The volume of write
// must not exceed most.
func (s *solver) fitting(read, write []int64, most int64, e effort, rows int) []int64 {
	levels := make([][]partial, len(s.shape))
	before := []partial{{volume: 1, length: 1}}
	rest := volume(write)
	for a, n := range s.shape {
		rest /= write[a] // minimum volume along the remaining axes
		var now []partial
		for _, b := range lengths(n, read[a], write[a], int(e)) {
			count, l := pieces(n, read[a], b)
			if a == rows { // each byte is read once, so add the cost of the requests in elements
				l = plus(n, times(count, max(1, s.get/times(s.item, volume(read)/read[a]))))
			}
			for i, p := range before {
				if v := times(p.volume, b); times(v, rest) <= most {
					now = append(now, partial{v, times(p.length, l), i, b})
				}
			}
		}
		before = frontier(now, 4*int(e))
		levels[a] = before
	}
	block := make([]int64, len(s.shape))
	at := len(before) - 1 // the last one reads the fewest elements
	for a := len(s.shape) - 1; a >= 0; a-- {
		p := levels[a][at]
		block[a], at = p.block, p.from
	}
	return block
}

// frontier returns the partials that read less than all smaller partials, in order of volume. If
// there are more than n, it returns n of them, including the first and the last. The result reuses
// the memory of all.
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

// thin returns n elements at even distances, or all elements if there are at most n.
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

// lengths returns the lengths of blocks to try along an axis of n elements, in ascending order.
// They are multiples of write, or n, and the shortest is write. Two of them are aligned with read,
// and the others divide the axis into numbers of blocks in a geometric series.
func lengths(n, read, write int64, most int) []int64 {
	out := []int64{write, n, lcm(read, write, n), roundUp(read, write, n)}
	whole := ceil(n, write)
	ratio := math.Pow(float64(whole), 1/float64(most))
	for i := 1; i < most; i++ {
		count := max(1, int64(math.Pow(ratio, float64(i)))) // number of blocks
		out = append(out, roundUp(ceil(n, count), write, n))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
