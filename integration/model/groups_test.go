package model

import (
	"context"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr"
)

// groups sets up the histories of a group with two arrays.
func groups(h *history) {
	w := newHierarchy(h, true)
	w.play(func(ctx context.Context, a *actor) { w.member(ctx, a) })
}

// member runs a few operations on the group.
func (w *hierarchy) member(ctx context.Context, a *actor) {
	var g *zarr.Group
	k := weights{doAppend: 6, doWrite: 1, doRead: 2, doAttrs: 1, doConsolidate: 1, doDrop: 1, doRefresh: 1}
	for range 2 + a.rng.IntN(3) {
		if a.gone() {
			return
		}
		if g == nil {
			a.do(ctx, &op{kind: doOpen}, func(ctx context.Context) (err error) {
				g, err = zarr.OpenGroup(ctx, a.store(), w.group, a.options()...)
				return err
			}, nil)
			if g == nil {
				continue
			}
		}
		switch k.pick(a) {
		case doAppend:
			o := &op{kind: doAppend, n: 1 + a.rng.IntN(4), targets: w.arrays}
			o.filling(a)
			o.text = fmt.Sprintf("%d rows", o.n)
			if w.length() <= most {
				o.appends = w.patience(a, o)
				g = w.groupAppend(ctx, a, g, o)
			}
		case doWrite:
			t := w.arrays[a.rng.IntN(2)]
			if x := w.open(ctx, a, t); x != nil {
				w.write(ctx, a, t, x)
			}
		case doRead:
			w.readGroup(ctx, a)
		case doAttrs:
			if t := w.arrays[a.rng.IntN(2)]; a.rng.IntN(2) == 0 {
				if x := w.open(ctx, a, t); x != nil {
					w.attrs(ctx, a, x)
				}
				continue
			}
			w.groupAttrs(ctx, a, &g)
		case doConsolidate:
			a.do(ctx, &op{kind: doConsolidate}, func(ctx context.Context) error {
				_, err := g.Consolidate(ctx)
				return err
			}, nil)
			g = nil
		case doDrop:
			w.drop(ctx, a, g)
			g = nil
		case doRefresh:
			g = nil
		}
	}
}

// length returns the greatest length of an array.
func (w *hierarchy) length() int {
	w.h.mu.Lock()
	defer w.h.mu.Unlock()
	_, high := w.lengths()
	return high
}

func (w *hierarchy) groupAttrs(ctx context.Context, a *actor, g **zarr.Group) {
	o := &op{kind: doAttrs, text: "of the group"}
	var out *zarr.Group
	a.do(ctx, o, func(ctx context.Context) (err error) {
		m := (*g).Attrs()
		m["by"] = o.id
		out, err = (*g).SetAttrs(ctx, m)
		return err
	}, nil)
	*g = out
}

// groupAppend appends the rows of o to all arrays of the group. It opens the group if g is nil.
func (w *hierarchy) groupAppend(ctx context.Context, a *actor, g *zarr.Group, o *op) *zarr.Group {
	a.do(ctx, o, func(ctx context.Context) (err error) {
		if g == nil {
			if g, err = zarr.OpenGroup(ctx, a.store(), w.group, a.options()...); err != nil {
				return err
			}
		}
		var rows []zarr.Rows
		for _, t := range o.targets {
			rows = append(rows, zarr.Rows{Path: strings.TrimPrefix(t.path, w.group+"/"), N: o.n, Write: func(ctx context.Context, b *zarr.Array, from int) error {
				axis := w.axis(t)
				box := all(b.Shape())
				box.lo[axis], box.hi[axis] = from, from+o.n
				v := make([]int32, 0, box.len())
				box.each(func(c [2]int) { v = append(v, o.row(c[axis]-from, c[1-axis])) })
				return zarr.Write(ctx, b, v, box.selection(t.rank)...)
			}})
		}
		_, err = g.Append(ctx, "time", o.appends, rows...)
		return err
	}, func(err error) { w.groupAppended(o, err) })
	return nil
}

// groupAppended checks the end of an append to the group.
func (w *hierarchy) groupAppended(o *op, err error) {
	if o.appends.At != nil {
		defer w.dated(o, err)
	}
	if err != nil {
		if o.labelled { // an append to a dataset opens the dataset again after it stored the rows
			return
		}
		if low, high := w.lengths(); low == high && o.visible() && o.faults < 2 && !o.lateDoc && !w.h.over {
			w.h.fail("%v returns an error, and its rows are visible in all arrays", o)
		}
		return
	}
	first := -1
	for _, t := range o.targets {
		p := o.part(t)
		switch {
		case p.done == o.n:
		case p.completes:
			t.acknowledge(o, w.rows(t, o, p.first, p.first+o.n), p.claimed, w.h.step)
		default:
			w.h.fail("%v is acknowledged, and %d of its rows in %s are visible", o, p.done, t.path)
			return
		}
		if first >= 0 && first != p.first {
			w.h.fail("%v appends from row %d in one array and %d in another", o, first, p.first)
		}
		first = p.first
	}
}

// readGroup reads all arrays through the group.
func (w *hierarchy) readGroup(ctx context.Context, a *actor) {
	o := &op{kind: doRead, text: "through the group"}
	var copied bool
	var shapes [][]int
	var values [][]int32
	a.do(ctx, o, func(ctx context.Context) error {
		a.h.mu.Lock()
		copied = w.copied != nil
		a.h.mu.Unlock()
		g, err := zarr.OpenGroup(ctx, a.store(), w.group, a.options()...)
		if err != nil {
			return err
		}
		for _, t := range w.arrays {
			x, err := g.OpenArray(ctx, strings.TrimPrefix(t.path, w.group+"/"))
			if err != nil {
				return err
			}
			v, err := zarr.Read[int32](ctx, x)
			if err != nil {
				return err
			}
			shapes, values = append(shapes, x.Shape()), append(values, v)
		}
		return nil
	}, func(err error) {
		if err != nil {
			return
		}
		n := -1
		for i, t := range w.arrays {
			is := shapes[i][w.axis(t)]
			if copied && n >= 0 && n != is {
				a.h.fail("%v: consolidated metadata gives %d and %d rows", o, n, is)
			}
			n = is
			w.compare(t, o.String(), all(shapes[i]), values[i], o.began, a.h.step, nil)
		}
	})
}
