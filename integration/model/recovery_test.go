package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// recoverFirst runs as a healthy actor that appends with TakeOver and extends arrays. All its
// operations must succeed.
func (w *hierarchy) recoverFirst(ctx context.Context, a *actor) {
	if w.group != "" {
		w.recoverGroup(ctx, a)
		return
	}
	x := w.open(ctx, a, w.arrays[0])
	if x == nil {
		return
	}
	t := w.arrays[0]
	o := &op{kind: doAppend, axis: a.rng.IntN(t.rank), n: 2, targets: []*truth{t}}
	o.filling(a)
	o.text = fmt.Sprintf("%d rows along %d of %v take over", o.n, o.axis, x.Shape())
	// If a late request changes the shape in between, the append conflicts, and Wait retries it.
	o.appends = zarr.AppendOptions{TakeOver: -1, Wait: 10 * time.Second}
	x = w.appendTo(ctx, a, t, with(x), o)
	w.grow(ctx, a, t, x)
}

// recoverLast extends the array again after the last late request.
func (w *hierarchy) recoverLast(ctx context.Context, a *actor) {
	if w.group != "" {
		w.recoverGroup(ctx, a)
		return
	}
	if x := w.open(ctx, a, w.arrays[0]); x != nil {
		w.grow(ctx, a, w.arrays[0], x)
	}
}

func (w *hierarchy) open(ctx context.Context, a *actor, t *truth) (x *zarr.Array) {
	if t.shape == nil {
		return nil // the array was removed
	}
	a.do(ctx, &op{kind: doOpen}, func(ctx context.Context) (err error) {
		x, err = zarr.OpenArray(ctx, a.store(), t.path, a.options()...)
		return err
	}, nil)
	return x
}

// grow extends an array along each axis with Resize.
func (w *hierarchy) grow(ctx context.Context, a *actor, t *truth, x *zarr.Array) {
	if x == nil {
		return
	}
	for try := range 4 {
		o := &op{kind: doResize, targets: []*truth{t}, target: x.Shape(), tolerant: try < 3}
		for i := range o.target {
			o.target[i] = min(width, o.target[i]+1+a.rng.IntN(5))
		}
		o.options.MetadataOnly = a.rng.IntN(2) == 0
		o.options.TakeOver = -1
		o.text = fmt.Sprintf("from %v to %v, take over, metadata only %v", x.Shape(), o.target, o.options.MetadataOnly)
		if w.resizeTo(ctx, a, t, x, with(x), o) != x {
			return
		}
		x = w.refresh(ctx, a, t, x) // a late request has changed the document
	}
}

// recoverGroup appends to the group twice: first the rows that complete an incomplete append, then
// new rows. It retries if a late request makes rows of another append visible in between.
func (w *hierarchy) recoverGroup(ctx context.Context, a *actor) {
	for range 2 {
		for try := range 4 {
			a.h.mu.Lock()
			low, high := w.lengths()
			a.h.mu.Unlock()
			n := high - low
			if n == 0 {
				n = 1 + a.rng.IntN(2)
			}
			o := &op{kind: doAppend, n: n, targets: w.arrays, text: fmt.Sprintf("%d rows take over", n), tolerant: try < 3}
			o.filling(a)
			o.appends = zarr.AppendOptions{TakeOver: -1, Wait: 10 * time.Second}
			w.groupAppend(ctx, a, nil, o)
			if o.err == nil {
				break
			}
		}
	}
}

// migrate converts the array to v3 while no other actor runs.
func (w *hierarchy) migrate() {
	h := w.h
	remove := h.rng.IntN(2) == 0
	h.actor(true, func(ctx context.Context, a *actor) {
		x := w.open(ctx, a, w.arrays[0])
		if x == nil {
			return
		}
		o := &op{kind: doMigrate, text: fmt.Sprintf("remove %v", remove)}
		claimed := slices.ContainsFunc([]string{".zarray"}, func(n string) bool { return w.claims[w.arrays[0].path+"/"+n] != "" })
		o.tolerant = claimed || len(h.lates) > 0 // a claim may prevent the migration
		a.do(ctx, o, func(ctx context.Context) error {
			_, err := upkeep.Migrate(ctx, x, upkeep.MigrateOptions{Remove: remove})
			return err
		}, nil)
	})
	h.loop()
	if w.arrays[0].format == 3 {
		for key := range w.claims {
			if strings.HasSuffix(key, ".zarray") || strings.HasSuffix(key, ".zattrs") {
				delete(w.claims, key) // v3 readers do not see it
			}
		}
	}
	w.look("after the migration")
}
