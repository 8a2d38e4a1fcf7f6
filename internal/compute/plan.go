package compute

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Reduction reduces groups of elements of a selection of an array to one element each.
type Reduction struct {
	Array  *zarr.Array
	Coding *cf.Coding // decodes the elements; nil for elements as they are stored

	// Axes are the axes of the selection, divided into stored objects or inner chunks, and Select
	// returns the selection of a box.
	Axes   []walk.Axis
	Select func(walk.Box) []zarr.Selection
	// Groups has the groups of each axis, or nil for an axis that is not reduced.
	Groups []*Group

	Op Op
	// KeepMissing makes a result missing if one of its elements is; for First and Last, if the first
	// or last element is. By default, missing elements are ignored.
	KeepMissing bool
	// Least is the minimum number of elements that are not missing. Results of fewer are missing. The
	// sum of no elements is 0 if Least is 0.
	Least int64

	Weights []float64 // nil for equal weights
	Strides []int     // of Weights along each axis; 0 if the weights do not depend on it

	Memory int64 // approximate bytes of results in memory
}

// Plan is a reduction that is divided into tasks, each of which computes whole chunks of the result.
type Plan struct {
	Type    dtype.Type
	Missing []byte // the memory form of a missing result; nil if no result is missing
	Shape   []int
	Chunks  []int // of the result
	Float   bool  // Missing is NaN

	r      Reduction
	of     reducer
	step   []int // elements of a tile along each axis
	stream int   // the axis whose groups are completed one after the other, or -1
	active int   // groups of this axis that are incomplete at a time
	batch  int   // groups of this axis in a chunk of the result
}

// reducer computes the tasks of a plan for one Go type of stored elements.
type reducer interface {
	tile(ctx context.Context, p *Plan, b walk.Box, emit Emit) error
	cellBytes() int64
}

// Emit receives the results of a box of the result, in memory form and C order.
type Emit func(at, shape []int, elems []byte) error

// cut returns the length of the shortest part of an axis that can be reduced alone, such that no
// object is in two parts, and the number of elements of each result. ok is false if the axis cannot
// be divided.
func (p *Plan) cut(k int) (part, each int, ok bool) {
	x, g := p.r.Axes[k], p.r.Groups[k]
	length := max(x.Length, 1)
	switch {
	case x.Count == 0:
		return 1, 1, false
	case g == nil:
		return min(length, x.Count), 1, true
	case g.window == 0:
		return x.Count, 1, false
	}
	n := g.window / gcd(g.window, length)
	if length > x.Count/n {
		return x.Count, g.window, false
	}
	return length * n, g.window, true
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// want is the approximate number of bytes of a box that is read. Reading it takes longer than the
// constant work for each box.
const want = 4 << 20

// small results of tiles are combined to chunks of at least this number of elements.
const leastCells = 1 << 14

// divide sets the division of the axes.
func (p *Plan) divide() {
	rank := len(p.r.Axes)
	p.step, p.stream, p.active, p.batch = make([]int, rank), -1, 1, 1
	each, divisible, least := make([]int, rank), make([]bool, rank), make([]int, rank)
	for k, g := range p.r.Groups {
		p.step[k], each[k], divisible[k] = p.cut(k)
		if least[k] = each[k]; g != nil && !g.Drop && !divisible[k] && p.stream < 0 {
			p.stream = k
		}
	}
	if k := p.stream; k >= 0 {
		p.active = p.incomplete(k)
	}
	cells := func() (n int) {
		n = 1
		for k, g := range p.r.Groups {
			switch {
			case k == p.stream || g != nil && g.Drop:
			case divisible[k]:
				n *= p.step[k] / each[k]
			default:
				n *= g.N
			}
		}
		return n
	}
	most := int(max(p.r.Memory/p.of.cellBytes()/int64(max(p.active, 1)), 1))
	for cells() > most { // objects are read more than once
		k := -1
		for i := range rank {
			if divisible[i] && p.step[i] > least[i] && (k < 0 || p.step[i]/each[i] > p.step[k]/each[k]) {
				k = i
			}
		}
		if k < 0 {
			break
		}
		p.step[k] = max(p.step[k]/2/each[k], 1) * each[k]
	}
	for k := rank - 1; k >= 0; k-- {
		if n := min(most, leastCells) / max(cells(), 1); divisible[k] && n > 1 {
			p.step[k] *= min(n, (p.r.Axes[k].Count-1)/p.step[k]+1)
		}
	}
	if k := p.stream; k >= 0 {
		p.batch = min(max(leastCells*4/cells(), 1), max(p.r.Groups[k].N, 1))
	}
	for k, g := range p.r.Groups {
		n, chunk := p.r.Axes[k].Count, p.step[k]
		switch {
		case g != nil && g.Drop:
			continue
		case k == p.stream:
			n, chunk = g.N, p.batch
		case g != nil && divisible[k]:
			n, chunk = g.N, p.step[k]/each[k]
		case g != nil:
			n, chunk = g.N, g.N
		}
		p.Shape, p.Chunks = append(p.Shape, n), append(p.Chunks, max(min(chunk, n), 1))
	}
}

// incomplete returns the maximum number of groups of an axis that are incomplete while a slab of
// objects is read.
func (p *Plan) incomplete(k int) (most int) {
	g, x := p.r.Groups[k], p.r.Axes[k]
	if !g.ordered(x.Count) {
		return g.N
	}
	for from := 0; from < x.Count; {
		to := p.slab(from)
		lo, hi := g.span(from, to)
		most, from = max(most, hi-lo), to
	}
	return most
}

// slab returns the end of the part of the streamed axis that is read together.
func (p *Plan) slab(from int) int {
	k, others := p.stream, 1
	for i, x := range p.r.Axes {
		if i != k {
			others = times(others, min(p.step[i], x.Count))
		}
	}
	n := max(want/max(p.r.Array.DType().Size(), 1)/max(others, 1), 1)
	return p.r.Axes[k].End(from, n, math.MaxInt)
}

func times(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// Tasks yields the tasks: boxes of the elements, each of which contributes to other results.
func (p *Plan) Tasks() iter.Seq[walk.Box] {
	shape := make([]int, len(p.r.Axes))
	for k, x := range p.r.Axes {
		shape[k] = x.Count
	}
	if slices.Contains(shape, 0) { // all results are of no elements
		return func(yield func(walk.Box) bool) { yield(walk.Box{At: make([]int, len(shape)), Shape: shape}) }
	}
	return walk.Lattice(shape, walk.Steps(shape, p.step))
}

// Run runs a task. It reads each byte once, unless the results of an object exceed the memory. It
// requests an object once, or in ranges if it is not compressed and has many elements.
func (p *Plan) Run(ctx context.Context, task walk.Box, emit Emit) error {
	return p.of.tile(ctx, p, task, emit)
}
