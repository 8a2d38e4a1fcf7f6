package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
)

// most is the maximum length along an axis that an actor may extend.
const most = 14

// arrays sets up the histories of one array.
func arrays(h *history) {
	w := newHierarchy(h, false)
	w.play(func(ctx context.Context, a *actor) {
		w.actor(ctx, a, weights{
			doAppend: 5, doResize: 4, doWrite: 4, doRead: 2, doRefresh: 3, doAttrs: 1, doWriter: 1, doOrphans: 1, doDrop: 1,
		})
	})
}

// caches sets up the histories of one array that is read through caches.
func caches(h *history) {
	w := newHierarchy(h, false)
	alone := h.rng.IntN(2) == 0
	if alone {
		h.only, h.removes = 1, true
	}
	k := weights{doAppend: 3, doResize: 4, doWrite: 3, doRead: 9, doRefresh: 3, doOrphans: 2}
	if alone {
		k[doRemove] = 1
	}
	w.play(func(ctx context.Context, a *actor) {
		v := cache.Immutable()
		switch a.rng.IntN(4) {
		case 0:
			v = cache.Revalidate(0)
		case 1:
			v = cache.Revalidate(time.Minute)
		}
		a.cache = cache.New(1<<20, v)
		a.stale = v != cache.Revalidate(0)
		w.actor(ctx, a, k)
	})
}

// weights are the relative frequencies of operations.
type weights map[kind]int

// pick returns a random operation.
func (k weights) pick(a *actor) kind {
	var kinds []kind
	for what, n := range k {
		if slices.Contains(strings.Split(*without, ","), string(what)) {
			continue
		}
		for range n {
			kinds = append(kinds, what)
		}
	}
	slices.Sort(kinds)
	return kinds[a.rng.IntN(len(kinds))]
}

// play runs a history whose actors call run. Then a healthy actor recovers from their failures.
func (w *hierarchy) play(run func(ctx context.Context, a *actor)) {
	h := w.h
	if err := w.create(context.Background()); err != nil {
		h.fail("create: %v", err)
		return
	}
	h.note("%s", w.describe())
	n := 2 + h.rng.IntN(3)
	if h.only > 0 {
		n = h.only
	}
	for range n {
		h.actor(false, run)
	}
	h.loop()
	if h.bad != "" {
		return
	}
	w.left()
	w.look("when all actors have ended")
	if w.group == "" && w.format == 2 && h.rng.IntN(2) == 0 && h.bad == "" {
		w.migrate()
	}
	for _, recover := range []func(ctx context.Context, a *actor){w.recoverFirst, w.recoverLast} {
		if h.bad != "" {
			return
		}
		h.actor(true, recover)
		h.loop()
		w.look("after the recovery")
		w.none("after the recovery")
		if h.bad == "" {
			h.flush()
			w.look("after the last late request")
		}
	}
}

// actor does a few operations with one array.
func (w *hierarchy) actor(ctx context.Context, a *actor, k weights) {
	t := w.arrays[0]
	var x *zarr.Array
	for range 2 + a.rng.IntN(4) {
		if a.gone() {
			return
		}
		if x == nil {
			a.do(ctx, &op{kind: doOpen}, func(ctx context.Context) (err error) {
				x, err = zarr.OpenArray(ctx, a.store(), t.path, a.options()...)
				return err
			}, nil)
			if x == nil {
				continue
			}
		}
		switch what := k.pick(a); what {
		case doAppend:
			x = w.append(ctx, a, t, x)
		case doWriter:
			x = w.writer(ctx, a, t, x)
		case doResize:
			x = w.resize(ctx, a, t, x)
		case doWrite:
			w.write(ctx, a, t, x)
		case doRead:
			w.read(ctx, a, t, x)
		case doRefresh:
			x = w.refresh(ctx, a, t, x)
		case doAttrs:
			x = w.attrs(ctx, a, x)
		case doOrphans:
			w.orphans(ctx, a, t, x)
		case doDrop:
			w.drop(ctx, a, x)
		case doRemove:
			x = w.remove(ctx, a, t, x)
		}
	}
}

// patience returns random options for an operation that creates a claim.
func (w *hierarchy) patience(a *actor, o *op) zarr.AppendOptions {
	k := a.rng.IntN(4)
	if w.h.peaceful && k != 3 {
		k = 1
	}
	switch k {
	case 0:
		o.text += " take over"
		w.over()
		return zarr.AppendOptions{TakeOver: -1}
	case 1:
		o.text += " wait"
		o.waits = true
		d := 3 * time.Second
		if w.h.hale {
			d = time.Minute
		}
		return zarr.AppendOptions{Wait: d}
	case 2:
		o.text += " wait, take over"
		w.over()
		o.waits = true
		return zarr.AppendOptions{Wait: 3 * time.Second, TakeOver: -1}
	}
	return zarr.AppendOptions{}
}

// over records that claims of living actors may end.
func (w *hierarchy) over() {
	w.h.mu.Lock()
	w.h.over = true
	w.h.mu.Unlock()
}

// with opens an array with options that allow few concurrent requests.
func with(x *zarr.Array, options ...zarr.Option) *zarr.Array {
	y, err := x.With(append(slices.Clone(options), zarr.Limit(zarr.Limits{InFlight: 4}))...)
	if err != nil {
		panic(err)
	}
	return y
}

// filling creates the rows of an append. Some are the fill value.
func (o *op) filling(a *actor) {
	zero := a.rng.IntN(8)
	o.row = func(r, j int) int32 {
		if zero == 0 || zero == 1 && r%2 == 0 {
			return 0
		}
		return o.value(r*width + j)
	}
}

func (w *hierarchy) append(ctx context.Context, a *actor, t *truth, x *zarr.Array) *zarr.Array {
	o := &op{kind: doAppend, axis: a.rng.IntN(t.rank), n: 1 + a.rng.IntN(5), targets: []*truth{t}}
	o.filling(a)
	if x.Shape()[o.axis] > most {
		return x
	}
	o.text = fmt.Sprintf("%d rows along %d of %v", o.n, o.axis, x.Shape())
	o.appends = w.patience(a, o)
	if out := w.appendTo(ctx, a, t, with(x), o); out != nil {
		return with(out)
	}
	return x
}

// appendTo appends the rows of o to y. It returns nil if that fails.
func (w *hierarchy) appendTo(ctx context.Context, a *actor, t *truth, y *zarr.Array, o *op) *zarr.Array {
	var out *zarr.Array
	a.do(ctx, o, func(ctx context.Context) (err error) {
		out, err = y.AppendFunc(ctx, o.axis, o.n, func(ctx context.Context, b *zarr.Array, from int) error {
			box := all(b.Shape())
			box.lo[o.axis] = from
			return zarr.Write(ctx, b, o.values(box, from), box.selection(t.rank)...)
		}, o.appends)
		return err
	}, func(err error) { w.appended(a, o, out, err) })
	return out
}

// values returns the rows of an append within a box.
func (o *op) values(b box, from int) []int32 {
	v := make([]int32, 0, b.len())
	b.each(func(c [2]int) { v = append(v, o.row(c[o.axis]-from, c[1-o.axis])) })
	return v
}

// selection returns the selection of a box.
func (b box) selection(rank int) []zarr.Selection {
	s := make([]zarr.Selection, rank)
	for i := range s {
		s[i] = zarr.Range(b.lo[i], b.hi[i])
	}
	return s
}

// appended checks the result of an append to one array.
func (w *hierarchy) appended(a *actor, o *op, out *zarr.Array, err error) {
	t := o.targets[0]
	p := o.part(t)
	if o.appends.At != nil {
		w.dated(o, err)
	}
	switch {
	case err == nil && p.done != o.n:
		w.h.fail("%v is acknowledged, and %d of its rows are visible", o, p.done)
	case err == nil && o.n > 0 && !w.had(t, out.Shape(), o.began):
		w.h.fail("%v returns the shape %v, and made it %v", o, out.Shape(), p.shape)
	case err == nil:
		a.saw(t, w.rows(t, o, p.first, p.first+o.n))
	case p.done > 0 && o.kind == doAppend && o.faults < 2 && !o.lateDoc:
		// The documentation says: "After an error the shape is what it was."
		w.h.fail("%v returns an error, and its rows are visible", o)
	}
}

// had reports whether an array had a shape at a step or later. After a lost response, an actor
// reads the documents again and returns the array with its current shape.
func (w *hierarchy) had(t *truth, shape []int, from int) bool {
	return slices.ContainsFunc(w.log[t], func(s shaped) bool { return s.step >= from && slices.Equal(s.shape, shape) })
}

// saw records that cached reads of the actor must show its own change from now on, for all elements
// of the objects that a box touches.
func (a *actor) saw(t *truth, b box) {
	if a.cache == nil {
		return
	}
	if a.since == nil {
		a.since = map[*truth][]int{}
	}
	if a.since[t] == nil {
		a.since[t] = make([]int, width*width)
	}
	for i := range t.rank {
		if b.hi[i] <= b.lo[i] {
			return
		}
	}
	b.each(func(c [2]int) { a.since[t][c[0]*width+c[1]] = a.h.step })
}

func (w *hierarchy) writer(ctx context.Context, a *actor, t *truth, x *zarr.Array) *zarr.Array {
	o := &op{kind: doWriter, axis: a.rng.IntN(t.rank), n: 1 + a.rng.IntN(6), targets: []*truth{t}}
	o.filling(a)
	if x.Shape()[o.axis] > most || x.Len() == 0 && t.rank > 1 {
		return x
	}
	o.text = fmt.Sprintf("%d rows along %d of %v", o.n, o.axis, x.Shape())
	o.appends = w.patience(a, o)
	y := with(x)
	flush := a.rng.IntN(8)
	var out *zarr.Array
	a.do(ctx, o, func(ctx context.Context) error {
		s, err := zarr.NewWriter[int32](ctx, y, o.axis, o.appends)
		if err != nil {
			return err
		}
		shape := s.Array().Shape()
		if t.rank > 1 && shape[1-o.axis] == 0 {
			o.n = 0 // another actor has set the length of the other axis to 0
		}
		for r := range o.n {
			b := all(shape)
			b.lo[o.axis], b.hi[o.axis] = r, r+1
			if err = s.Write(ctx, o.values(b, 0)); err == nil && flush>>(r%3)&1 == 1 {
				err = s.Flush(ctx)
			}
			if err != nil {
				break
			}
		}
		done, bad := s.Close(ctx)
		if err == nil && bad == nil {
			out = done
		}
		if err == nil {
			err = bad
		}
		return err
	}, func(err error) { w.appended(a, o, out, err) })
	if out != nil {
		return with(out)
	}
	return x
}

func (w *hierarchy) resize(ctx context.Context, a *actor, t *truth, x *zarr.Array) *zarr.Array {
	o := &op{kind: doResize, targets: []*truth{t}}
	shape := x.Shape()
	o.target = make([]int, len(shape))
	for i, n := range shape {
		o.target[i] = n
		if a.rng.IntN(4) > 0 {
			o.target[i] = max(0, min(most, n+a.rng.IntN(9)-5))
		}
	}
	switch a.rng.IntN(5) {
	case 0, 1:
		o.options.MetadataOnly = true
		o.text = "metadata only "
	case 2:
		o.options.Clear = true
		o.text = "clear "
	}
	o.text += fmt.Sprintf("from %v to %v", shape, o.target)
	y := x
	if a.rng.IntN(3) == 0 && !w.h.peaceful {
		o.text += " take over"
		w.over()
		o.options.TakeOver = -1
		y = with(x)
	}
	return w.resizeTo(ctx, a, t, x, y, o)
}

func (w *hierarchy) resizeTo(ctx context.Context, a *actor, t *truth, x, y *zarr.Array, o *op) *zarr.Array {
	var out *zarr.Array
	a.do(ctx, o, func(ctx context.Context) (err error) {
		out, err = y.Resize(ctx, o.target, o.options)
		return err
	}, func(err error) {
		if err == nil {
			w.resized(a, o, out)
		}
	})
	if out != nil {
		return with(out)
	}
	return x
}

// resized records the deletions of an acknowledged Resize.
func (w *hierarchy) resized(a *actor, o *op, out *zarr.Array) {
	t := o.targets[0]
	p := o.part(t)
	if !slices.Equal(out.Shape(), o.target) && !w.had(t, out.Shape(), o.began) {
		w.h.fail("%v returns the shape %v", o, out.Shape())
		return
	}
	if p.was == nil || o.options.MetadataOnly {
		return // the documentation says: "changes the shape and nothing else"
	}
	low := slices.Clone(p.was)
	for i, n := range o.target {
		low[i] = min(low[i], n)
	}
	kept := all(low)
	all(p.was).each(func(c [2]int) {
		if kept.has(c) {
			return
		}
		whole := false // set if its object is completely outside
		for i := range t.rank {
			whole = whole || c[i]/t.chunk[i]*t.chunk[i] >= low[i]
		}
		if whole || o.options.Clear {
			t.clear(c, o.began, w.h.step)
			a.saw(t, box{c, [2]int{c[0] + 1, c[1] + 1}})
		}
	})
}
