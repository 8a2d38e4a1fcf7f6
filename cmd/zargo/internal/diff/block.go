package diff

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
)

// requestCost is the fixed cost of a request, expressed as the number of bytes that can be decoded
// in the same time. Decoding 1 MiB takes some milliseconds.
const requestCost = 1 << 20

// grids has the grids of two arrays with the same shape. The shape of blocks is chosen from them.
type grids struct {
	shape []int
	each  int64 // size of an element in memory
	parts []part
}

// part is a grid of stored objects, which are requested, or of chunks, which are decoded.
type part struct {
	lengths []int
	cost    float64 // cost of one request, or of decoding one chunk, in bytes
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

// bytes returns the size of a block in memory, at most math.MaxInt64.
func (g *grids) bytes(block []int) int64 {
	inside := make([]int, len(block))
	for i := range block {
		inside[i] = max(min(block[i], g.shape[i]), 1)
	}
	return walk.Bytes(inside, g.each)
}

// cost returns the cost of a comparison in blocks of a shape. For each block that an object or a
// chunk overlaps, the object is requested once and the chunk is decoded once.
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

// pieces returns the number of pieces of an axis of n elements that is cut at every multiple of a
// and at every multiple of b.
func pieces(n, a, b int) float64 {
	if n == 0 {
		return 1
	}
	count := func(length int) float64 { return float64((n-1)/length + 1) }
	return count(a) + count(b) - count(multiple(a, b))
}

// multiple returns the least common multiple of a and b, or math.MaxInt if an int cannot represent
// it.
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

// divide returns the memory of a comparison, at most the number of bytes most, and the shape of its
// blocks. If memory is 0, it is defaultMemory, or most if larger blocks cost less.
func (g *grids) divide(memory, most int64) (int64, []int) {
	if memory > 0 {
		memory = min(memory, most)
		return memory, g.choose(memory / 4)
	}
	memory = min(defaultMemory, most)
	block := g.choose(memory / 4)
	if larger := g.choose(most / 4); g.cost(larger) < g.cost(block) {
		return most, larger
	}
	return memory, block
}

// choose tries several shapes of blocks and returns the cheapest, or the smallest of equally cheap
// shapes. A block takes at most the number of bytes most, or has only one element. The cheapest
// blocks are common multiples of the grids, because each object is read only once.
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
	// Extend small blocks to reduce the overhead per block.
	for i := len(best) - 1; i >= 0; i-- {
		for best[i] < g.shape[i] && g.bytes(best) <= min(smallBlock, most)/2 {
			best[i] *= 2
		}
	}
	return best
}

// within shortens a block, first along axis 0, until it takes at most the number of bytes most.
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

// longer extends a block along one axis, to the cheapest of the lengths that it tries. It returns
// nil if no longer block is cheaper.
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

// candidates returns lengths greater than n to try along axis i: multiples of the lengths of one or
// two grids, the length of the axis, and fit.
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

// objectOf returns the shape of a stored object.
func objectOf(a *zarr.Array) []int {
	if a.Sharded() {
		return lengths(a, a.Shards())
	}
	return lengths(a, a.Chunks())
}

// lengths returns chunks, a shape of chunks, limited to the shape of the array. If chunks is nil
// because the chunks differ in shape, lengths uses the shape of the first chunk.
func lengths(a *zarr.Array, chunks []int) []int {
	shape := a.Shape()
	if chunks == nil {
		chunks = walk.Object(a, make([]int, len(shape))).Shape
	}
	n := make([]int, len(shape))
	for i := range n {
		n[i] = max(min(shape[i], chunks[i]), 1)
	}
	return n
}
