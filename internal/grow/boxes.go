package grow

import (
	"iter"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/node/document"
)

// KeepsKeys reports whether a write of the selection must leave an object under every key that it
// writes. It must do so if a request of an abandoned change may still arrive, because such a
// request puts an object on the condition that its key is absent. doc is the document of the opened
// array.
func KeepsKeys(doc document.Stored, e *engine.Array, s grid.Selection) (bool, error) {
	record, err := document.RecordIn(doc)
	if err != nil || len(record.Left)+len(record.Kept) == 0 {
		return false, err
	}
	return record.Touches(aligned(e.Layout.Axes, bounds(s, e.Layout.Shape))), nil
}

// bounds returns a box that contains all selected elements of an array of this shape.
func bounds(s grid.Selection, shape []int) claim.Box {
	b := claim.Whole(shape)
	region, ok := s.(grid.Region)
	if !ok {
		return b
	}
	for i, x := range region {
		if x.Count == 0 {
			b.Hi[i] = 0
			continue
		}
		last := x.Start + (x.Count-1)*x.Step
		b.Lo[i], b.Hi[i] = min(x.Start, last), max(x.Start, last)+1
	}
	return b
}

// aligned returns the smallest box of whole objects that contains b.
func aligned(axes []grid.Axis, b claim.Box) claim.Box {
	out := claim.Box{Lo: slices.Clone(b.Lo), Hi: slices.Clone(b.Hi)}
	for i, axis := range axes {
		if b.Lo[i] >= b.Hi[i] {
			continue
		}
		_, _, off := axis.Locate(b.Lo[i])
		out.Lo[i] -= off
		_, length, off := axis.Locate(b.Hi[i] - 1)
		out.Hi[i] = b.Hi[i] - 1 - off + length
	}
	return out
}

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
