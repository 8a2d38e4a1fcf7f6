package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

func (w *hierarchy) write(ctx context.Context, a *actor, t *truth, x *zarr.Array) {
	var b box
	b.hi = [2]int{1, 1}
	for i, n := range x.Shape() {
		if n == 0 {
			return
		}
		b.lo[i] = a.rng.IntN(n)
		b.hi[i] = b.lo[i] + 1 + a.rng.IntN(n-b.lo[i])
		if a.rng.IntN(3) == 0 {
			b.lo[i], b.hi[i] = 0, n
		}
	}
	o := &op{kind: doWrite, opened: node.Of(x), text: fmt.Sprintf("%v to %v of %v", b.lo[:t.rank], b.hi[:t.rank], x.Shape())}
	zero := a.rng.IntN(5) == 0
	if a.rng.IntN(8) == 0 {
		o.text += " store fill"
		x = with(x, zarr.StoreFill())
	}
	var v []int32
	a.do(ctx, o, func(ctx context.Context) error {
		a.h.mu.Lock()
		t.issue(o, b, o.began, func([2]int) int32 {
			if zero {
				v = append(v, 0)
			} else {
				v = append(v, o.value(len(v)))
			}
			return v[len(v)-1]
		})
		a.h.mu.Unlock()
		return zarr.Write(ctx, x, v, b.selection(t.rank)...)
	}, func(err error) {
		if err == nil {
			t.acknowledge(o, b, o.began, a.h.step)
			// Elements that an array with an outdated shape writes outside the stored shape are
			// lost: an append or a resize may replace them.
			inside := w.inside(t, o.began, a.h.step)
			b.each(func(c [2]int) {
				if !inside.has(c) {
					t.hide(box{c, [2]int{c[0] + 1, c[1] + 1}}, a.h.step)
				}
			})
			a.saw(t, b)
		}
	})
}

func (w *hierarchy) read(ctx context.Context, a *actor, t *truth, x *zarr.Array) {
	b := all(x.Shape())
	o := &op{kind: doRead, text: fmt.Sprintf("%s %v", t.path, x.Shape())}
	if a.cache != nil {
		o.kind = doCached
	}
	var v []int32
	a.do(ctx, o, func(ctx context.Context) (err error) {
		v, err = zarr.Read[int32](ctx, x)
		return err
	}, func(err error) {
		if err != nil {
			return
		}
		a.h.note("%v reads %v", o, v)
		var since func(c [2]int) int
		if a.stale {
			since = func(c [2]int) int {
				if s := a.since[t]; s != nil {
					return min(o.began, s[c[0]*width+c[1]])
				}
				return 0
			}
		}
		w.look("after " + o.String()) // violations in the store are not caused by the cache
		w.compare(t, o.String(), b, v, o.began, a.h.step, since)
	})
}

func (w *hierarchy) refresh(ctx context.Context, a *actor, t *truth, x *zarr.Array) *zarr.Array {
	o := &op{kind: doRefresh}
	var out *zarr.Array
	a.do(ctx, o, func(ctx context.Context) (err error) {
		out, err = x.Refresh(ctx)
		return err
	}, func(err error) {
		if err == nil {
			a.edge(t, x.Shape(), out.Shape())
		}
	})
	if out != nil {
		return out
	}
	return x
}

// edge records that Refresh returned another shape: objects at the old edge are requested again.
func (a *actor) edge(t *truth, old, is []int) {
	if slices.Equal(old, is) || a.cache == nil {
		return
	}
	// These are the objects in which the old shape ends.
	ends := slices.Clone(old)
	for i, n := range old {
		ends[i] = (n + t.chunk[i] - 1) / t.chunk[i] * t.chunk[i]
	}
	inner := all(old)
	all(ends).each(func(c [2]int) {
		if !inner.has(c) && c[0] < width && c[1] < width {
			a.saw(t, box{c, [2]int{c[0] + 1, c[1] + 1}})
		}
	})
}

func (w *hierarchy) attrs(ctx context.Context, a *actor, x *zarr.Array) *zarr.Array {
	o := &op{kind: doAttrs}
	var out *zarr.Array
	a.do(ctx, o, func(ctx context.Context) (err error) {
		m := x.Attrs()
		m["by"] = o.id
		out, err = x.SetAttrs(ctx, m)
		return err
	}, nil)
	if out != nil {
		return out
	}
	return x
}

func (w *hierarchy) orphans(ctx context.Context, a *actor, t *truth, x *zarr.Array) {
	a.do(ctx, &op{kind: doOrphans}, func(ctx context.Context) error {
		found, err := upkeep.FindOrphans(ctx, x)
		if err != nil {
			return err
		}
		return found.Delete(ctx)
	}, func(err error) {
		if err == nil {
			w.outside(a, t, a.op)
		}
	})
}

// outside records that the elements of the objects that an operation deleted are gone. It omits
// objects that another change may be writing, according to the document from which the array was
// opened: their deletion is not promised.
func (w *hierarchy) outside(a *actor, t *truth, o *op) {
	for _, key := range o.deleted {
		b, ok := t.object(key)
		if !ok {
			w.h.fail("%v deletes %s", o, key)
			return
		}
		b.each(func(c [2]int) { t.clear(c, o.began, w.h.step) })
		a.saw(t, b)
	}
}

// unknowing records that a write has deleted an object whose key must not become absent, because
// the array was opened before the record was written (ADR 025). Late puts may then set the
// elements.
func (w *hierarchy) unknowing(o *op, key string) {
	for _, t := range w.arrays {
		b, ok := t.object(key)
		if !ok || !strings.HasPrefix(key, t.path+"/") {
			continue
		}
		record, err := node.RecordIn(o.opened.Doc)
		if err != nil {
			w.h.fail("the record of %s: %v", t.path, err)
		}
		if !record.Touches(claim.Box{Lo: b.lo[:t.rank], Hi: b.hi[:t.rank]}) {
			for _, r := range w.h.coming(key) {
				t.revive(r.op, b, w.h.step)
			}
		}
	}
}

func (w *hierarchy) drop(ctx context.Context, a *actor, n zarr.Node) {
	if w.h.peaceful {
		return
	}
	w.over()
	a.do(ctx, &op{kind: doDrop}, func(ctx context.Context) error {
		_, err := upkeep.DropClaim(ctx, n, 0)
		return err
	}, nil)
}

// remove removes the array and creates it again. It does nothing while a late request may arrive:
// "keys that are written while it runs may stay" (upkeep.Removal.Run).
func (w *hierarchy) remove(ctx context.Context, a *actor, t *truth, x *zarr.Array) *zarr.Array {
	a.h.mu.Lock()
	coming := len(a.h.lates) > 0
	a.h.mu.Unlock()
	if coming {
		return x
	}
	gone := false
	a.do(ctx, &op{kind: doRemove}, func(ctx context.Context) error {
		r, err := upkeep.PlanRemove(ctx, x, upkeep.RemoveOptions{})
		if err != nil {
			return err
		}
		return r.Run(ctx)
	}, func(err error) {
		if gone = err == nil; gone {
			all([]int{width, width}[:t.rank]).each(func(c [2]int) {
				if t.cells[c[0]*width+c[1]] != nil {
					t.clear(c, a.op.began, w.h.step)
				}
				a.saw(t, box{c, [2]int{c[0] + 1, c[1] + 1}})
			})
		}
	})
	if !gone {
		return x
	}
	var out *zarr.Array
	a.do(ctx, &op{kind: doCreate}, func(ctx context.Context) (err error) {
		out, err = zarr.Create(ctx, a.store(), t.path, w.spec[0], a.options()...)
		return err
	}, nil)
	return out
}
