package picture

import (
	"iter"
	"math/bits"
	"sort"

	"github.com/zargo-io/zargo/zarr"
)

// tile is a rectangle of selected elements: rows [y0, y1) and columns [x0, x1).
type tile struct{ y0, y1, x0, x1 int }

// elements returns the number of elements. It does not overflow, because a tile fits in memory.
func (t tile) elements() int64 { return int64(t.y1-t.y0) * int64(t.x1-t.x0) }

// along describes the selected elements along an axis of the array.
type along struct {
	array    *zarr.Array
	axis     int
	n        int             // selected elements
	position func(i int) int // position of the i-th along the axis of the array
	length   int             // of all chunks along the axis; 0 if they differ
}

// chunk returns the number of the chunk with the i-th selected element. In a shard it is the number
// of the inner chunk.
func (a along) chunk(i int) int {
	if a.length > 0 {
		return a.position(i) / a.length
	}
	c, _, _ := a.array.ChunkAt(a.axis, a.position(i))
	return c
}

// first returns the number of selected elements in the chunk of the first element, but at least 1.
func (a along) first() int { return max(a.end(0, 1, a.n), 1) }

// end returns the end of a range that starts at element i: a boundary of chunks after about want
// elements, but at most i+most. It assumes that positions increase or decrease; otherwise the range
// may end inside a chunk.
func (a along) end(i, want, most int) int {
	if want >= a.n-i {
		return a.n
	}
	j := i + want
	c := a.chunk(j)
	// The first element of that chunk.
	if k := i + sort.Search(j-i, func(k int) bool { return a.chunk(i+k) == c }); k > i {
		return k
	}
	limit := a.n
	if most < limit-i {
		limit = i + most
	}
	return j + sort.Search(limit-j, func(k int) bool { return a.chunk(j+k) != c })
}

// tiles yields rectangles that together contain all elements once, row by row. A tile consists of
// chunks with about want elements, but at least of one chunk, unless a chunk has more than most
// elements.
func tiles(rows, cols along, want, most int) iter.Seq[tile] {
	return func(yield func(tile) bool) {
		if rows.n == 0 || cols.n == 0 {
			return
		}
		width := min(max(want/rows.first(), 1), cols.n) // one row of chunks first, then more rows
		for y := 0; y < rows.n; {
			y1 := rows.end(y, max(want/max(width, cols.first()), 1), max(most/cols.first(), 1))
			for x := 0; x < cols.n; {
				x1 := cols.end(x, width, max(most/(y1-y), 1))
				if !yield(tile{y, y1, x, x1}) {
					return
				}
				x = x1
			}
			y = y1
		}
	}
}

// bounds returns the boundaries of p boxes that together have n elements: box i has the elements
// from bounds[i] to bounds[i+1]. p is at most n.
func bounds(n, p int) []int {
	out := make([]int, p+1)
	for i := range out {
		hi, lo := bits.Mul64(uint64(i), uint64(n))
		q, _ := bits.Div64(hi, lo, uint64(p))
		out[i] = int(q)
	}
	return out
}

// boxOf returns the box that contains element i.
func boxOf(bounds []int, i int) int { return sort.SearchInts(bounds, i+1) - 1 }
