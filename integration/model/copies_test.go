package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// copyWorld has two arrays with equal metadata and different values, and plans to copy them to the
// same target.
type copyWorld struct {
	h      *history
	limits *concurrency.Limits
	values [2][]int32
	plans  [2]*transfer.Plan
	only   int // the only plan that actors run, or -1 for both
	done   int // the plan whose run or verification was acknowledged, or -1
}

// copied sets up the histories of transfers to one target.
func copied(h *history) {
	w := &copyWorld{h: h, done: -1, limits: &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 20)}}
	h.world = w
	w.only = h.rng.IntN(4) - 2
	w.only = max(w.only, -1)
	if err := w.create(); err != nil {
		h.fail("create: %v", err)
		return
	}
	for range 2 + h.rng.IntN(2) {
		h.actor(false, w.actor)
	}
	h.loop()
	if h.bad == "" {
		w.look("when all actors have ended")
	}
	if h.bad == "" {
		h.actor(true, w.recover)
		h.loop()
		w.look("after the recovery")
	}
	if h.bad == "" {
		h.flush()
		w.look("after the last late request")
	}
}

func (w *copyWorld) create() error {
	ctx, r := context.Background(), w.h.rng
	s := zarr.Spec{Format: 3, DType: dtype.Int32, Codecs: []codec.Spec{}, Shape: []int{3 + r.IntN(4)}, Chunks: []int{2}}
	if r.IntN(3) == 0 {
		s.Format = 2
	}
	if r.IntN(3) == 0 {
		s.Shape, s.Chunks = append(s.Shape, 3), append(s.Chunks, 2)
	}
	if s.Format == 3 && r.IntN(3) == 0 {
		s.Shards = slices.Clone(s.Chunks)
		s.Shards[0] *= 2
	}
	o := transfer.Options{Target: transfer.Place{Store: "one", Path: "t"}, Zarr: []zarr.Option{zarr.Limit(zarr.Limits{Shared: w.limits})}, OneStage: true}
	from := []string{"one", "other"}[r.IntN(2)]
	if r.IntN(3) == 0 {
		o.Format = 5 - s.Format
	}
	if s.Shards == nil && r.IntN(3) == 0 {
		o.Grid = func(a *zarr.Array) (chunks, shards []int, err error) {
			chunks = slices.Clone(a.Chunks())
			chunks[0] = 3
			return chunks, nil, nil
		}
	}
	for k := range w.plans {
		path := fmt.Sprint("s", k+1)
		a, err := zarr.Create(ctx, w.h.raw, path, s, zarr.Limit(zarr.Limits{Shared: w.limits, InFlight: 1}))
		if err != nil {
			return err
		}
		w.values[k] = make([]int32, a.Len())
		for i := range w.values[k] {
			if r.IntN(6) > 0 && !(i < 2 && k == 1 && a.Len()%2 == 0) {
				w.values[k][i] = int32((k+1)*100 + i)
			}
		}
		w.values[k][len(w.values[k])-1] = int32((k + 1) * 100)
		if err := zarr.Write(ctx, a, w.values[k]); err != nil {
			return err
		}
		o.Source = transfer.Place{Store: from, Path: path}
		if w.plans[k], err = transfer.NewPlan(ctx, a, w.h.raw, o); err != nil {
			return err
		}
	}
	w.h.note("format %d shape %v chunks %v shards %v; to format %d, %d tasks, from store %q, values %v", s.Format, s.Shape, s.Chunks, s.Shards, o.Format, w.plans[0].Tasks(), from, w.values)
	return nil
}

// open opens a store of the plans.
func (a *actor) open(context.Context, string) (store.Store, error) { return a.store(), nil }

func (w *copyWorld) actor(ctx context.Context, a *actor) {
	k := a.rng.IntN(2)
	if w.only >= 0 {
		k = w.only
	}
	for range 1 + a.rng.IntN(3) {
		if a.gone() {
			return
		}
		switch a.rng.IntN(6) {
		case 0:
			w.verify(ctx, a, k)
		case 1:
			w.tasks(ctx, a, k)
		default:
			_ = w.run(ctx, a, k, false)
		}
	}
}

func (w *copyWorld) run(ctx context.Context, a *actor, k int, tolerant bool) (out error) {
	a.do(ctx, &op{kind: doRun, text: fmt.Sprint("plan ", k+1), tolerant: tolerant}, func(ctx context.Context) error {
		out = transfer.Run(ctx, w.plans[k], a.open, transfer.RunOptions{Parallel: 2, Zarr: []zarr.Option{zarr.Limit(zarr.Limits{Shared: a.limits})}})
		return out
	}, func(err error) {
		if err == nil {
			w.acknowledged(a.op, k)
		} else if a.h.hale && w.only >= 0 && !tolerant {
			a.h.fail("%v fails, and nobody has failed: %v", a.op, err)
		}
	})
	return out
}

// tasks runs the tasks in order, one at a time.
func (w *copyWorld) tasks(ctx context.Context, a *actor, k int) {
	a.do(ctx, &op{kind: doRun, text: fmt.Sprint("tasks of plan ", k+1)}, func(ctx context.Context) error {
		for i := range w.plans[k].Tasks() {
			if err := transfer.RunTask(ctx, w.plans[k], i, a.open, zarr.Limit(zarr.Limits{Shared: a.limits})); err != nil {
				return err
			}
		}
		return nil
	}, func(err error) {
		if err == nil {
			w.acknowledged(a.op, k)
		}
	})
}

func (w *copyWorld) verify(ctx context.Context, a *actor, k int) {
	var missing []int
	a.do(ctx, &op{kind: doVerify, text: fmt.Sprint("plan ", k+1)}, func(ctx context.Context) (err error) {
		missing, err = transfer.Verify(ctx, w.plans[k], a.open)
		return err
	}, func(err error) {
		if err == nil && len(missing) == 0 {
			w.acknowledged(a.op, k)
		}
	})
}

// acknowledged records that a plan is complete.
func (w *copyWorld) acknowledged(o *op, k int) {
	if w.done >= 0 && w.done != k {
		w.h.fail("%v is acknowledged, and so was plan %d", o, w.done+1)
		return
	}
	w.done = k
	if w.look("after " + o.String()); w.h.bad != "" {
		return
	}
	if _, err := zarr.OpenArray(context.Background(), w.h.raw, "t", zarr.Limit(zarr.Limits{Shared: w.limits})); err != nil {
		w.h.fail("%v is acknowledged, and there is no target: %v", o, err)
	}
}

func (w *copyWorld) applied(r *request) {
	if r.verb == put && isDocument(r.key) && strings.HasPrefix(r.key, "t/") && strings.Count(r.key, "/") == 1 {
		w.look("after " + r.String())
	}
}

// look reads the target, which must be absent or a copy of one source.
func (w *copyWorld) look(what string) {
	h := w.h
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, h.raw, "t", zarr.Limit(zarr.Limits{Shared: w.limits}))
	if errors.Is(err, fault.NotFound) && w.done < 0 {
		return
	}
	if err != nil {
		h.fail("%s: %v", what, err)
		return
	}
	v, err := zarr.Read[int32](ctx, a)
	if err != nil {
		h.fail("%s: %v", what, err)
		return
	}
	h.note("%s: the target is %v", what, v)
	for k, want := range w.values {
		if slices.Equal(v, want) && (w.done < 0 || w.done == k) {
			return
		}
	}
	if w.done < 0 {
		h.fail("%s: the target is a copy of neither source", what)
	} else {
		h.fail("%s: the target is no copy of source %d", what, w.done+1)
	}
}

// recover runs both plans again. One of them must then be complete. The other must fail with
// Exists, or because the target belongs to another source.
func (w *copyWorld) recover(ctx context.Context, a *actor) {
	errs := [2]error{}
	for _, k := range a.rng.Perm(2) {
		errs[k] = w.run(ctx, a, k, true)
	}
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	if errs[0] != nil && errs[1] != nil {
		a.h.fail("no plan can be completed: %v; %v", errs[0], errs[1])
	}
}
