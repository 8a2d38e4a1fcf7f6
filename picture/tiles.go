package picture

import (
	"iter"
	"math/bits"
	"sort"

	"github.com/zargo-io/zargo/zarr"
)

// tile is a rectangle of the selected elements: rows [y0, y1) and columns [x0, x1).
type tile struct{ y0, y1, x0, x1 int }

// elements returns the number of elements. It does not overflow, because a tile fits in memory.
func (t tile) elements() int64 { return int64(t.y1-t.y0) * int64(t.x1-t.x0) }

// along describes the selection along an axis of the array.
type along struct {
	array    *zarr.Array
	axis     int
	n        int             // number of selected elements
	position func(i int) int // index in the array of the i-th selected element
	length   int             // length of the chunks along the axis; 0 if they differ
}

// chunk returns the index of the chunk that contains the i-th selected element. In a sharded array
// it is the index of the inner chunk.
func (a along) chunk(i int) int {
	if a.length > 0 {
		return a.position(i) / a.length
	}
	c, _, _ := a.array.ChunkAt(a.axis, a.position(i))
	return c
}

// first returns the number of selected elements in the chunk of the first element. It returns at
// least 1.
func (a along) first() int { return max(a.end(0, 1, a.n), 1) }

// end returns the end of a range of selected elements that starts at i. It is a chunk boundary
// after about want elements, or i+most if that is less. end assumes that positions increase or
// decrease. Otherwise the range may end inside a chunk.
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

// tiles divides the selected elements into tiles and yields them row by row. A tile consists of one
// or more whole chunks and has about want elements. A chunk of more than most elements is divided
// into several tiles.
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

// bounds divides n elements into p boxes and returns their boundaries: box i contains the elements
// from bounds[i] up to, but not including, bounds[i+1]. p is at most n.
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
