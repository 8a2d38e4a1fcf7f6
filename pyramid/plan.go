package pyramid

import (
	"iter"
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// plan calls Options.Plan with the requests that compute regions of a level.
func (s *step) plan(level int, regions iter.Seq[zarr.Region]) error {
	var least, most store.Amount
	objects := int64(0)
	for r := range regions {
		objects++
		for sel := range s.reads(r) {
			p, err := s.from.Plan(sel...)
			if err != nil {
				return err
			}
			l, m := p.Bounds()
			least, most = least.Add(l), most.Add(m)
		}
		p, err := s.to.PlanWrite(r.Select()...)
		if err != nil {
			return err
		}
		_, m := p.Bounds()
		most = most.Add(m)
	}
	if level > 1 { // the recorder may keep all objects
		least = store.Amount{}
	}
	// The build lists its objects at the end. A concurrent listing may send twice as many requests
	// as there are pages.
	most.Lists += objects / page * 2
	s.o.Plan(least, most)
	return nil
}

// page is the number of keys in a page of most listings.
const page = 1000

// reads yields the selections of the previous level that are read for a region.
func (s *step) reads(r zarr.Region) iter.Seq[[]zarr.Selection] {
	return func(yield func([]zarr.Selection) bool) {
		piece := r.Shape
		if s.piece != nil {
			piece = s.piece
		}
		for at := range boxes(r, piece) {
			if s.reducer == nil {
				if !yield(s.selection(at, s.factor)) {
					return
				}
				continue
			}
			for part := range boxes(at, s.box) {
				if !yield(s.selection(part, slices.Repeat([]int{1}, len(part.Start)))) {
					return
				}
			}
		}
	}
}
