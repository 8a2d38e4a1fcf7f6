package zarr

import (
	"slices"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/grid"
)

// keeping is the array to write a selection of. Where a request of a change that was given up may
// still arrive, chunks of fill values are stored too, and none is deleted: such a request has the
// condition that the key is absent. That is known from the document as it was when the array was
// opened.
func (a *Array) keeping(r grid.Selection) (*Array, error) {
	if a.cfg.storeFill || a.shards != nil || a.from != fromStore {
		return a, nil
	}
	record, err := document.RecordIn(a.doc)
	if err != nil {
		return nil, a.errf(err)
	}
	if len(record.Left)+len(record.Kept) == 0 || !record.Touches(a.aligned(bounds(r, a.meta.Shape))) {
		return a, nil
	}
	return a.With(StoreFill())
}

// bounds is a box that has all that is selected of an array of the shape.
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

// aligned is the smallest box of whole objects that has another box of the array.
func (a *Array) aligned(b claim.Box) claim.Box {
	out := claim.Box{Lo: slices.Clone(b.Lo), Hi: slices.Clone(b.Hi)}
	for i := range out.Lo {
		if b.Lo[i] >= b.Hi[i] {
			continue
		}
		_, out.Lo[i], _ = a.ChunkAt(i, b.Lo[i])
		_, start, length := a.ChunkAt(i, b.Hi[i]-1)
		out.Hi[i] = start + length
	}
	return out
}
