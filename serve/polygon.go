package serve

import (
	"cmp"
	"net/http"
	"slices"
	"sort"
)

// polygon reports which elements of a grid are within the rings of a polygon, or on its boundary.
type polygon struct {
	columns int
	bits    []uint64
}

const (
	// maxCells is the maximum number of elements of the grid. Their bits take 2 MiB.
	maxCells = 1 << 24
	// maxEdges is the maximum number of pairs of an edge and a row. They are compared in a fraction of
	// a second.
	maxEdges = 1 << 26
	// rounded is the distance to an edge, in degrees, at which an element is on the boundary.
	rounded = 1e-9
)

// newPolygon returns the elements with the coordinates x and y, which are sorted, that are within
// the rings, by the even-odd rule.
func newPolygon(rings [][][2]float64, x, y []float64) (*polygon, error) {
	edges := 0
	for _, ring := range rings {
		edges += len(ring)
	}
	if len(x)*len(y) > maxCells || edges*len(y) > maxEdges {
		return nil, refuse(http.StatusRequestEntityTooLarge, "the area has too many elements for one request")
	}
	p := &polygon{len(x), make([]uint64, (len(x)*len(y)+63)/64)}
	for row, at := range y {
		for _, span := range spans(rings, at) {
			p.set(row, x, span)
		}
	}
	return p, nil
}

// spans returns the closed ranges of a horizontal line that are within the rings. Ranges may overlap.
func spans(rings [][][2]float64, y float64) (all [][2]float64) {
	var crossings []float64
	for _, ring := range rings {
		for i := 1; i < len(ring); i++ {
			lo, hi := ring[i-1], ring[i]
			if lo[1] > hi[1] {
				lo, hi = hi, lo
			}
			switch {
			case y < lo[1] || y > hi[1]:
				continue
			case lo[1] == hi[1]:
				all = append(all, [2]float64{min(lo[0], hi[0]), max(lo[0], hi[0])})
				continue
			case y == hi[1]:
				all = append(all, [2]float64{hi[0], hi[0]})
				continue
			}
			x := lo[0] + (y-lo[1])/(hi[1]-lo[1])*(hi[0]-lo[0])
			all, crossings = append(all, [2]float64{x - rounded, x + rounded}), append(crossings, x)
		}
	}
	slices.Sort(crossings)
	for pair := range slices.Chunk(crossings, 2) {
		all = append(all, [2]float64{pair[0], pair[len(pair)-1]})
	}
	return all
}

// set sets the elements of a row whose coordinates are in a range.
func (p *polygon) set(row int, x []float64, span [2]float64) {
	order := 1
	if len(x) > 1 && x[0] > x[1] {
		order, span = -1, [2]float64{span[1], span[0]}
	}
	from := sort.Search(len(x), func(i int) bool { return cmp.Compare(x[i], span[0])*order >= 0 })
	for i := from; i < len(x) && cmp.Compare(x[i], span[1])*order <= 0; i++ {
		n := row*p.columns + i
		p.bits[n/64] |= 1 << (n % 64)
	}
}

// has reports whether an element is within the polygon.
func (p *polygon) has(row, column int) bool {
	n := row*p.columns + column
	return p.bits[n/64]&(1<<(n%64)) != 0
}
