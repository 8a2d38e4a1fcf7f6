package main

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// named reads the variable t of a dataset, or the part of it that q selects, as floats of the type in
// the task.
func (t task) named(q ...dataset.Query) func(context.Context, store.Store) (outcome, error) {
	return func(ctx context.Context, st store.Store) (outcome, error) {
		v, err := t.variable(ctx, st, q...)
		if err != nil {
			return outcome{}, err
		}
		if t.Type == "float64" {
			values, err := dataset.Read[float64](ctx, v)
			return decoded(values), err
		}
		values, err := dataset.Read[float32](ctx, v)
		return decoded(values), err
	}
}

// decoded returns the outcome of a task that decodes values. Libraries differ in the bits of NaN and
// in the last digit of a float32, so the values have no checksum.
func decoded[T cf.Float](values []T) outcome {
	return outcome{bytes: len(values) * binary.Size(*new(T)), digest: func() []float64 {
		n, sum, weighted := 0.0, 0.0, 0.0
		for i, v := range values {
			if v == v {
				n, sum, weighted = n+1, sum+float64(v), weighted+float64(v)*float64(i%1021)
			}
		}
		return []float64{n, sum, weighted}
	}}
}

func (t task) variable(ctx context.Context, st store.Store, q ...dataset.Query) (*dataset.Variable, error) {
	d, err := dataset.Open(ctx, st, "", dataset.Options{}, t.options()...)
	if err != nil {
		return nil, err
	}
	return d.Var("t", q...)
}

func (t task) raw16(ctx context.Context, st store.Store) (outcome, error) {
	a, err := zarr.OpenArray(ctx, st, "t", t.options()...)
	if err != nil {
		return outcome{}, err
	}
	values, err := zarr.Read[int16](ctx, a)
	return of(values), err
}

// source returns the decoded elements of the variable t, in tiles as those of the command stats.
func (t task) source(ctx context.Context, st store.Store) (compute.Source, error) {
	v, err := t.variable(ctx, st)
	if err != nil {
		return compute.Source{}, err
	}
	a := v.Array()
	coding, _ := v.Coding()
	var axes []walk.Axis
	for k := range a.Shape() {
		axes = append(axes, walk.Objects(a, k))
	}
	return compute.Source{Array: a, Coding: coding, Tiles: walk.Tiles(axes, tile/a.DType().Size(), math.MaxInt),
		Select: func(b walk.Box) (sel []zarr.Selection) {
			for k, at := range b.At {
				sel = append(sel, zarr.Range(at, at+b.Shape[k]))
			}
			return sel
		}}, nil
}

// tile is the number of bytes of chunks that are visited at a time.
const tile = 8 << 20

func (t task) statistics(ctx context.Context, st store.Store) (outcome, error) {
	s, err := t.source(ctx, st)
	if err != nil {
		return outcome{}, err
	}
	r, err := compute.Summarize(ctx, s)
	if err != nil {
		return outcome{}, err
	}
	low, isFloat := r.Min.(float64)
	high, _ := r.Max.(float64)
	if !isFloat {
		return outcome{}, errors.New("the elements are not decoded")
	}
	return outcome{digest: func() []float64 { return []float64{float64(r.Count), low, high, r.Mean, r.Std} }}, nil
}

func (t task) histogram(ctx context.Context, st store.Store) (outcome, error) {
	s, err := t.source(ctx, st)
	if err != nil {
		return outcome{}, err
	}
	if len(t.Range) != 2 {
		return outcome{}, errors.New("range must have two elements")
	}
	h, err := compute.NewHistogram(t.Range[0], t.Range[1], t.Bins)
	if err == nil {
		err = h.Count(ctx, s)
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{digest: func() (counts []float64) {
		for _, n := range h.Counts {
			counts = append(counts, float64(n))
		}
		return counts
	}}, nil
}

// reduce writes means as a dataset at out.
func (t task) reduce(r dataset.Reduction) func(context.Context, store.Store) (outcome, error) {
	return func(ctx context.Context, st store.Store) (_ outcome, err error) {
		d, err := dataset.Open(ctx, st, "", dataset.Options{}, t.options()...)
		if err != nil {
			return outcome{}, err
		}
		to, err := t.open(ctx, t.Out)
		if err != nil {
			return outcome{}, err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		_, err = dataset.Reduce(ctx, d, r, to, "", dataset.ReduceOptions{})
		return outcome{}, err
	}
}
