package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

const (
	doBuild   kind = "build"
	doUnbuild kind = "remove level"
)

// pyramidLevels is the number of levels of the pyramids.
const pyramidLevels = 2

// pyramidWorld has an array, its pyramid, and in some histories a coordinate. Actors build the
// pyramid while others write to the array, extend it, and remove levels.
type pyramidWorld struct {
	h       *history
	limits  *concurrency.Limits
	spec    zarr.Spec
	labels  bool     // the array has the coordinate x
	changed int      // step of the last change of the array or the coordinate
	levels  []change // changes of objects of levels
}

// change is a change of an object of a level by an operation.
type change struct {
	step int
	by   *op
}

// pyramids sets up the histories of a pyramid beside an array that changes.
func pyramids(h *history) {
	w := &pyramidWorld{h: h, limits: &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(16 << 20)}}
	h.world = w
	h.removes = true
	if err := w.create(context.Background()); err != nil {
		h.fail("create: %v", err)
		return
	}
	for range 2 + h.rng.IntN(2) {
		h.actor(false, w.actor)
	}
	h.loop()
	for i, what := range []string{"after the recovery", "after the last late request"} {
		if h.bad != "" {
			return
		}
		h.actor(true, w.recover)
		h.loop()
		if w.look(what); i > 0 { // no request can arrive late any more
			w.equal(what)
		}
		h.flush()
		w.look(what + " and late requests")
	}
}

func (w *pyramidWorld) create(ctx context.Context) error {
	r := w.h.rng
	limit := zarr.Limit(zarr.Limits{Shared: w.limits, InFlight: 1})
	w.labels = r.IntN(4) == 0
	w.spec = zarr.Spec{Format: 3, DType: dtype.Int32, Codecs: []codec.Spec{}, Shape: []int{3 + r.IntN(3), 3 + r.IntN(2)}, Chunks: []int{2, 2}}
	if r.IntN(4) == 0 {
		w.spec.Shards = []int{2, 4}
	}
	dims := func(s *zarr.Spec, names ...string) { s.Dims = names }
	if r.IntN(4) == 0 {
		w.spec.Format, w.spec.Shards, w.spec.Fill = 2, nil, zarr.NoFill
		dims = func(s *zarr.Spec, names ...string) { s.Attrs = map[string]any{"_ARRAY_DIMENSIONS": names} }
	}
	if _, err := zarr.CreateGroup(ctx, w.h.raw, "", zarr.Spec{Format: w.spec.Format}, limit); err != nil {
		return err
	}
	dims(&w.spec, "y", "x")
	specs := map[string]zarr.Spec{"a": w.spec}
	if w.labels {
		s := w.spec
		s.Shape, s.Chunks, s.Shards = []int{w.spec.Shape[1]}, []int{w.spec.Shape[1]}, nil
		s.DType = dtype.Float64 // levels of integer coordinates have compressed chunks, whose encoders the bubbles would share
		dims(&s, "x")
		specs["x"] = s
	}
	for _, path := range slices.Sorted(maps.Keys(specs)) {
		a, err := zarr.Create(ctx, w.h.raw, path, specs[path], limit)
		if err != nil {
			return err
		}
		v := make([]float64, a.Len())
		for i := range v {
			v[i] = float64(i + 1)
		}
		if err := w.put(ctx, a, v); err != nil {
			return err
		}
	}
	w.h.note("format %d shape %v shards %v, coordinate %v", w.spec.Format, w.spec.Shape, w.spec.Shards, w.labels)
	return nil
}

func (w *pyramidWorld) actor(ctx context.Context, a *actor) {
	k := weights{doBuild: 5, doWrite: 3, doAppend: 1, doUnbuild: 1}
	for range 1 + a.rng.IntN(3) {
		if a.gone() {
			return
		}
		switch k.pick(a) {
		case doBuild:
			_ = w.build(ctx, a, true)
		case doWrite:
			w.write(ctx, a)
		case doAppend:
			w.append(ctx, a)
		case doUnbuild:
			w.remove(ctx, a, 1+a.rng.IntN(pyramidLevels))
		}
	}
}

// build builds the pyramid. If nobody else has changed the array or the levels meanwhile, the
// levels are the reduction of the array.
func (w *pyramidWorld) build(ctx context.Context, a *actor, tolerant bool) error {
	o := &op{kind: doBuild, tolerant: tolerant}
	var out error
	a.do(ctx, o, func(ctx context.Context) error {
		_, out = pyramid.Build(ctx, a.store(), "a", pyramid.Options{Levels: pyramidLevels, Limits: a.limits})
		return out
	}, func(err error) {
		if err != nil {
			return
		}
		w.h.count("acknowledged builds")
		alone := w.changed < o.began && !slices.ContainsFunc(w.levels, func(c change) bool { return c.by != o && c.step >= o.began })
		if w.look("after " + o.String()); alone && w.h.bad == "" {
			w.equal("after " + o.String())
		}
	})
	return out
}

func (w *pyramidWorld) write(ctx context.Context, a *actor) {
	path := "a"
	if w.labels && a.rng.IntN(4) == 0 {
		path = "x"
	}
	o := &op{kind: doWrite, text: path, tolerant: true}
	a.do(ctx, o, func(ctx context.Context) error {
		x, err := zarr.OpenArray(ctx, a.store(), path, a.options()...)
		if err != nil {
			return err
		}
		b := box{hi: [2]int{1, 1}}
		for i, n := range x.Shape() {
			b.lo[i] = a.rng.IntN(n)
			b.hi[i] = b.lo[i] + 1 + a.rng.IntN(n-b.lo[i])
		}
		v := make([]float64, b.len())
		for i := range v {
			v[i] = float64(o.value(i))
		}
		return w.put(ctx, x, v, b.selection(len(x.Shape()))...)
	}, nil)
}

func (w *pyramidWorld) append(ctx context.Context, a *actor) {
	o := &op{kind: doAppend, tolerant: true}
	a.do(ctx, o, func(ctx context.Context) error {
		x, err := zarr.OpenArray(ctx, a.store(), "a", a.options()...)
		if err != nil || x.Shape()[0] > 6 {
			return err
		}
		rows := make([]int32, 2*x.Shape()[1])
		for i := range rows {
			rows[i] = o.value(i)
		}
		_, err = zarr.Append(ctx, x, 0, rows, zarr.AppendOptions{TakeOver: -1})
		return err
	}, nil)
}

// remove removes the group of a level, the documented way to compute it again.
func (w *pyramidWorld) remove(ctx context.Context, a *actor, level int) {
	a.do(ctx, &op{kind: doUnbuild, text: fmt.Sprint(level), tolerant: true}, func(ctx context.Context) error {
		n, err := zarr.Open(ctx, a.store(), fmt.Sprint(level), a.options()...)
		if err != nil {
			return err
		}
		r, err := upkeep.PlanRemove(ctx, n, upkeep.RemoveOptions{})
		if err != nil {
			return err
		}
		return r.Run(ctx)
	}, nil)
}

// recover builds the pyramid as a healthy actor. If objects that belong to no level are in its way,
// it removes them first.
func (w *pyramidWorld) recover(ctx context.Context, a *actor) {
	for range 4 {
		err := w.build(ctx, a, true)
		switch {
		case err == nil:
			return
		case errors.Is(err, fault.Exists):
			for level := range pyramidLevels {
				w.clear(ctx, a, level+1)
			}
		}
	}
	_ = w.build(ctx, a, false)
}

// clear deletes all objects of a level.
func (w *pyramidWorld) clear(ctx context.Context, a *actor, level int) {
	a.do(ctx, &op{kind: doUnbuild, text: fmt.Sprint("objects of ", level)}, func(ctx context.Context) error {
		return store.DeleteBelow(ctx, a.store(), fmt.Sprint(level))
	}, nil)
}

func (w *pyramidWorld) applied(r *request) {
	for key := range strings.SplitSeq(r.key, " ") {
		switch top, _, _ := strings.Cut(key, "/"); top {
		case "a", "x":
			w.changed = w.h.step
		case "1", "2":
			w.levels = append(w.levels, change{w.h.step, r.op})
		}
	}
}

// look checks that the status is current only if the levels are the reduction of the array.
func (w *pyramidWorld) look(what string) {
	s, err := pyramid.StatusOf(context.Background(), w.h.raw, "a", zarr.Limit(zarr.Limits{Shared: w.limits}))
	if err != nil {
		w.h.fail("%s: the status: %v", what, err)
		return
	}
	w.h.note("%s: the levels are %v", what, s)
	if s == pyramid.Current {
		w.h.count("looks at current levels")
		w.equal(what + ": the status is current")
	}
}

// equal compares the levels with the reduction of the array.
func (w *pyramidWorld) equal(what string) {
	if w.h.bad != "" {
		return
	}
	v, shape, err := w.read("a")
	if err != nil {
		w.h.fail("%s: %v", what, err)
		return
	}
	var x []float64
	if w.labels {
		if x, _, err = w.read("x"); err != nil {
			w.h.fail("%s: %v", what, err)
			return
		}
	}
	for level := range pyramidLevels {
		v, shape = halved(v, shape, true)
		is, has, err := w.read(fmt.Sprintf("%d/a", level+1))
		if err != nil || !slices.Equal(shape, has) || !slices.Equal(v, is) {
			w.h.fail("%s: level %d is %v %v, %v, and the reduction of the array is %v %v", what, level+1, has, is, err, shape, v)
			return
		}
		if !w.labels {
			continue
		}
		x, _ = halved(x, []int{1, len(x)}, false)
		if is, _, err := w.read(fmt.Sprintf("%d/x", level+1)); err != nil || !slices.Equal(x, is) {
			w.h.fail("%s: the coordinate of level %d is %v, %v, and the reduction is %v", what, level+1, is, err, x)
			return
		}
	}
}

func (w *pyramidWorld) read(path string) ([]float64, []int, error) {
	a, err := zarr.OpenArray(context.Background(), w.h.raw, path, zarr.Limit(zarr.Limits{Shared: w.limits}))
	if err != nil {
		return nil, nil, err
	}
	v, err := zarr.ReadAs[float64](context.Background(), a)
	return v, a.Shape(), err
}

// halved returns the means of windows of 2 × 2 elements. Those of integers are rounded, ties to
// even.
func halved(v []float64, shape []int, integers bool) ([]float64, []int) {
	out, to := []float64{}, []int{(shape[0] + 1) / 2, (shape[1] + 1) / 2}
	for i := range to[0] {
		for j := range to[1] {
			sum, n := 0.0, 0.0
			for y := 2 * i; y < min(2*i+2, shape[0]); y++ {
				for x := 2 * j; x < min(2*j+2, shape[1]); x++ {
					sum, n = sum+v[y*shape[1]+x], n+1
				}
			}
			if sum /= n; integers {
				sum = math.RoundToEven(sum)
			}
			out = append(out, sum)
		}
	}
	return out, to
}

// put writes numbers to an array of int32 or float64.
func (w *pyramidWorld) put(ctx context.Context, a *zarr.Array, v []float64, sel ...zarr.Selection) error {
	if a.DType() == dtype.Float64 {
		return zarr.Write(ctx, a, v, sel...)
	}
	n := make([]int32, len(v))
	for i := range v {
		n[i] = int32(v[i])
	}
	return zarr.Write(ctx, a, n, sel...)
}
