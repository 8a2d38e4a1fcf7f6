package diff

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr"
)

// requestCost is what a request costs beside its bytes, in bytes that are decoded meanwhile. 1 MiB:
// some milliseconds.
const requestCost = 1 << 20

// grids are the lengths along each axis that a block is chosen by.
type grids struct {
	shape []int
	each  int64 // bytes of an element in memory
	parts []part
}

// part is a grid that cuts the arrays: of stored objects, each of which is requested, or of chunks,
// each of which is decoded.
type part struct {
	lengths []int
	cost    float64 // of one
}

func gridsOf(a, b *zarr.Array) grids {
	g := grids{shape: a.Shape(), each: int64(a.DType().Size())}
	if g.each == 0 {
		g.each = itemSize
	}
	for _, of := range []*zarr.Array{a, b} {
		chunk := lengths(of, of.Chunks())
		g.parts = append(g.parts, part{objectOf(of), requestCost}, part{chunk, float64(g.bytes(chunk))})
	}
	return g
}

// bytes is what a block takes in memory; math.MaxInt64 where an int64 does not hold it.
func (g *grids) bytes(block []int) int64 {
	n := g.each
	for i := range block {
		k := int64(max(min(block[i], g.shape[i]), 1))
		if n > math.MaxInt64/k {
			return math.MaxInt64
		}
		n *= k
	}
	return n
}

// cost is that of comparing block by block: each object is requested, and each chunk decoded, once
// for each block that has a part of it.
func (g *grids) cost(block []int) (sum float64) {
	for _, p := range g.parts {
		n := p.cost
		for i, length := range p.lengths {
			n *= pieces(g.shape[i], length, block[i])
		}
		sum += n
	}
	return sum
}

// pieces is how many pieces an axis of n elements is cut into by two lengths.
func pieces(n, a, b int) float64 {
	if n == 0 {
		return 1
	}
	count := func(length int) float64 { return float64((n-1)/length + 1) }
	return count(a) + count(b) - count(multiple(a, b))
}

// multiple is the least common multiple, or math.MaxInt where that is less.
func multiple(a, b int) int {
	d, r := a, b
	for r != 0 {
		d, r = r, d%r
	}
	if a/d > math.MaxInt/b {
		return math.MaxInt
	}
	return a / d * b
}

// choose is the shape of blocks of at most so many bytes, or of one element, that cost least, and
// of these the shortest. Objects that are read once cost least: common multiples of the grids are.
func (g *grids) choose(most int64) []int {
	var best []int
	better := func(block []int) bool {
		if best == nil {
			return true
		}
		a, b := g.cost(block), g.cost(best)
		return a < b || a == b && g.bytes(block) < g.bytes(best)
	}
	for _, p := range g.parts {
		block := g.within(p.lengths, most)
		for next := block; next != nil; {
			block = next
			next = g.longer(block, most)
		}
		if better(block) {
			best = block
		}
	}
	// A block of a few bytes costs little beside its requests, and more at once.
	for i := len(best) - 1; i >= 0; i-- {
		for best[i] < g.shape[i] && g.bytes(best) <= min(smallBlock, most)/2 {
			best[i] *= 2
		}
	}
	return best
}

// within is a block cut to at most so many bytes, along the first axes.
func (g *grids) within(block []int, most int64) []int {
	block = slices.Clone(block)
	for i := 0; i < len(block) && g.bytes(block) > most; {
		if n := min(block[i], g.shape[i]); n > 1 {
			block[i] = n - n/2
		} else {
			i++
		}
	}
	return block
}

// longer is a block that is longer along one axis and costs less; nil where none does.
func (g *grids) longer(block []int, most int64) []int {
	var best []int
	cost := g.cost(block)
	for i, n := range block {
		for _, length := range g.candidates(i, n, most/max(g.bytes(block)/int64(max(min(n, g.shape[i]), 1)), 1)) {
			other := slices.Clone(block)
			other[i] = length
			if g.bytes(other) > most {
				continue
			}
			if c := g.cost(other); c < cost {
				best, cost = other, c
			}
		}
	}
	return best
}

// candidates are lengths along an axis that are longer than n: multiples of the grids, of two of
// them, the axis, and as much as fits.
func (g *grids) candidates(i, n int, fit int64) (all []int) {
	most := int(min(fit, int64(g.shape[i])))
	add := func(length int) {
		if length > n {
			all = append(all, length)
		}
	}
	add(g.shape[i])
	add(most)
	for k, p := range g.parts {
		for _, q := range g.parts[k:] {
			m := multiple(p.lengths[i], q.lengths[i])
			if m > most {
				continue
			}
			add(m)
			add(most / m * m)
			add((n/m + 1) * m)
		}
	}
	return all
}

// objectOf are the lengths of a stored object.
func objectOf(a *zarr.Array) []int {
	if a.Sharded() {
		return lengths(a, a.Shards())
	}
	return lengths(a, a.Chunks())
}

// lengths are those of chunks, cut at the shape of the array; where chunks differ in shape, those
// of the first object.
func lengths(a *zarr.Array, chunks []int) []int {
	shape := a.Shape()
	n := make([]int, len(shape))
	for i := range n {
		n[i] = max(shape[i], 1)
		switch {
		case chunks != nil:
			n[i] = max(min(n[i], chunks[i]), 1)
		case shape[i] > 0:
			_, edge := a.Edge(i, 0)
			n[i] = max(min(n[i], edge), 1)
		}
	}
	return n
}
