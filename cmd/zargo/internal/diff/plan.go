package diff

import (
	"iter"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// plan calls f with the bounds of the reads of each array. of has the stored objects, if they are
// known, and kept whether objects that overlap several blocks are read only once.
func (c *comparison) plan(of [2]known, kept [2]*kept, f func(least, most store.Amount)) error {
	for i, a := range []*zarr.Array{c.a, c.b} {
		var least, most store.Amount
		for b := range c.boxes() {
			p, err := a.Plan(selections(b)...)
			if err != nil {
				return err
			}
			l, m := p.Bounds()
			least, most = least.Add(l), most.Add(m)
		}
		objects := int64(1)
		for _, n := range a.GridShape() {
			objects *= int64(n)
		}
		stored, listed := objects, false
		if all, ok := of[i].present(); ok {
			stored, listed = length(all), true
		}
		if stored < objects || kept[i] != nil { // otherwise the plans are exact
			least.Gets, least.BytesRead = min(least.Gets, stored), 0
		}
		if k := kept[i]; k != nil { // reads whole objects
			most.Gets, most.BytesRead = max(most.Gets, stored), max(most.BytesRead, stored*k.want)
		} else if listed && !a.Sharded() {
			most.Gets = min(most.Gets, stored)
		}
		f(least, most)
	}
	return nil
}

func length(all iter.Seq[[]int]) (n int64) {
	for range all {
		n++
	}
	return n
}
