package model

import (
	"context"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/zarr"
)

// look reads all arrays and compares them with the model.
func (w *hierarchy) look(what string) {
	for _, t := range w.arrays {
		if t.shape != nil && w.h.bad == "" {
			w.lookAt(t, what)
		}
	}
}

func (w *hierarchy) lookAt(t *truth, what string) {
	h := w.h
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, h.raw, t.path, zarr.Limit(zarr.Limits{Shared: w.limits}))
	if err != nil {
		h.fail("%s: %v", what, err)
		return
	}
	if !slices.Equal(a.Shape(), t.shape) {
		h.fail("%s: %s has the shape %v, not %v", what, t.path, a.Shape(), t.shape)
		return
	}
	v, err := zarr.Read[int32](ctx, a)
	if err != nil {
		h.fail("%s: %v", what, err)
		return
	}
	h.note("%s: %s is %v %v", what, t.path, t.shape, v)
	w.compare(t, what, all(t.shape), v, h.step, h.step, nil)
}

// compare compares elements of a box, read between two steps, with the values that may be stored.
func (w *hierarchy) compare(t *truth, what string, b box, v []int32, from, to int, since func(c [2]int) int) {
	// A reader with an outdated shape reads elements that are outside the array.
	inside := w.inside(t, from, to)
	k := 0
	b.each(func(c [2]int) {
		is := v[k]
		k++
		at := from
		if since != nil {
			at = since(c)
		}
		if inside.has(c) && w.h.bad == "" && !t.may(c, is, at, to) {
			w.h.fail("%s: element %v of %s is %d (%s), and may be%s", what, c[:t.rank], t.path, is, whence(w.h, is), t.explain(c, at, to))
		}
	})
}

// inside returns the box of elements that were in the array during all steps from one to another.
func (w *hierarchy) inside(t *truth, from, to int) box {
	b := all([]int{never, never}[:t.rank])
	for i, s := range w.log[t] {
		if s.step <= to && (i+1 == len(w.log[t]) || w.log[t][i+1].step >= from) {
			for axis, n := range s.shape {
				b.hi[axis] = min(b.hi[axis], n)
			}
		}
	}
	return b
}

// left checks that no claim of a living actor remains.
func (w *hierarchy) left() {
	for key, id := range w.claims {
		o := w.owners[id]
		if id == "" || o == nil || o.by.dead || o.faults > 1 || o.lateDoc {
			// The claim belongs to a dead actor, or the request that would have removed it failed
			// too, or it arrived after the actor had looked.
			continue
		}
		if low, high := w.groupLengths(); low != high && (key == w.group+"/zarr.json" || key == w.group+"/.zattrs") {
			continue // rows of an append are visible in some arrays, so the append must be completed first (Group.Append)
		}
		w.h.fail("%s has the claim of a living actor: %v", key, o)
	}
}

// groupLengths returns the minimum and maximum lengths, or 0 and 0 without a group.
func (w *hierarchy) groupLengths() (low, high int) {
	if w.group == "" {
		return 0, 0
	}
	return w.lengths()
}

// visible reports whether rows of the operation are visible.
func (o *op) visible() bool {
	for _, p := range o.parts {
		if p.done > 0 {
			return true
		}
	}
	return false
}

// none checks that no claim exists.
func (w *hierarchy) none(what string) {
	for key, id := range w.claims {
		if id != "" {
			w.h.fail("%s: %s has the claim of %v", what, key, w.owners[id])
		}
	}
}

func (w *hierarchy) describe() string {
	s := fmt.Sprintf("format %d", w.format)
	for i, t := range w.arrays {
		s += fmt.Sprintf("; %s shape %v chunks %v shards %v dims %v", t.path, w.spec[i].Shape, w.spec[i].Chunks, w.spec[i].Shards, w.spec[i].Dims)
	}
	if w.copied != nil {
		s += "; consolidated"
	}
	return s
}
