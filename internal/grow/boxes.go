package grow

import (
	"iter"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/node/claim"
)

// objectsIn returns the sum, over all boxes, of the number of objects that overlap the box. The sum
// is a float64, because the boxes of a stored record may be of any size.
func objectsIn(axes []grid.Axis, boxes []claim.Box) (sum float64) {
	for _, b := range boxes {
		n := 1.0
		for i, lo := range b.Lo {
			first, _, _ := axes[i].Locate(lo)
			last, _, _ := axes[i].Locate(b.Hi[i] - 1)
			n *= float64(last - first + 1)
		}
		sum += n
	}
	return sum
}

// pieces splits a box at the boundaries of objects. The caller owns the yielded boxes.
func pieces(axes []grid.Axis, box claim.Box) iter.Seq[claim.Box] {
	return func(yield func(claim.Box) bool) {
		one := claim.Box{Lo: slices.Clone(box.Lo), Hi: slices.Clone(box.Hi)}
		var along func(axis int) bool
		along = func(axis int) bool {
			if axis == len(axes) {
				return yield(claim.Box{Lo: slices.Clone(one.Lo), Hi: slices.Clone(one.Hi)})
			}
			for at := box.Lo[axis]; at < box.Hi[axis]; {
				_, length, off := axes[axis].Locate(at)
				end := min(at-off+length, box.Hi[axis])
				one.Lo[axis], one.Hi[axis] = at, end
				if !along(axis + 1) {
					return false
				}
				at = end
			}
			return true
		}
		along(0)
	}
}
