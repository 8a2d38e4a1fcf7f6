package compute

import (
	"context"
	"math"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// reduced implements reducer for elements that are read as values of type S.
type reduced[S cf.Number] struct {
	k    kernel[S]
	l    cf.Loop[S]
	size int
	// read reads n elements. It uses buf if that has n elements.
	read    func(ctx context.Context, buf []S, n int, sel []zarr.Selection) ([]S, error)
	results func(v *results[S]) []byte // in memory form
	stored  bool                       // results are stored elements
	none    S                          // a missing result, if stored is true
	most    float64                    // sums of at least this size overflow
}

// results are the values of some results, of one of the types.
type results[S cf.Number] struct {
	floats []float64
	whole  []int64
	moved  []S
}

func (d *reduced[S]) cellBytes() int64 { return d.k.cellBytes(d.size) }

// reduce returns the reducer for elements of type S, and sets the type of the results.
func reduce[S cf.Number](p *Plan) (reducer, error) {
	r := p.r
	l, err := loopOf[S](r.Coding)
	if err != nil {
		return nil, err
	}
	if l.Flipped { // reduce what _Unsigned makes of the integers
		d := &reduced[float64]{l: cf.Loop[float64]{Scale: 1}, size: 8, read: func(ctx context.Context, buf []float64, n int, sel []zarr.Selection) ([]float64, error) {
			return buf, Decode(ctx, r.Array, r.Coding, buf, sel...)
		}}
		return d, d.prepare(p, dtype.Float64)
	}
	d := &reduced[S]{l: l, size: r.Array.DType().Size()}
	d.read = func(ctx context.Context, buf []S, _ int, sel []zarr.Selection) ([]S, error) {
		if err := zarr.ReadInto(ctx, r.Array, buf, sel...); err != nil || !l.Several {
			return buf, err
		}
		return buf, cf.Unify(r.Coding, l, buf, buf)
	}
	return d, d.prepare(p, r.Array.DType())
}

func reduceHalves(p *Plan) (reducer, error) {
	r := p.r
	l, err := loopOf[float32](r.Coding)
	if err != nil {
		return nil, err
	}
	d := &reduced[float32]{l: l, size: 4, read: func(ctx context.Context, buf []float32, n int, sel []zarr.Selection) ([]float32, error) {
		half := make([]dtype.F16, n)
		if err := zarr.ReadInto(ctx, r.Array, half, sel...); err != nil {
			return nil, err
		}
		widen(buf, half)
		if !l.Several {
			return buf, nil
		}
		return buf, cf.Unify(r.Coding, l, buf, buf)
	}}
	if err := d.prepare(p, dtype.Float32); err != nil || p.Type != dtype.Type(dtype.Float32) {
		return d, err
	}
	p.Type, p.Missing = dtype.Float16, []byte{0, 0x7e}
	d.results = func(v *results[float32]) []byte {
		half := make([]dtype.F16, len(v.moved))
		for i, f := range v.moved {
			half[i] = dtype.F16From(f)
		}
		return memory(half)
	}
	return d, nil
}

func reduceBools(p *Plan) (reducer, error) {
	r := p.r
	d := &reduced[uint8]{l: cf.Loop[uint8]{Scale: 1}, size: 1, read: func(ctx context.Context, buf []uint8, _ int, sel []zarr.Selection) ([]uint8, error) {
		return buf, r.Array.ReadBytes(ctx, buf, sel...)
	}}
	if err := d.prepare(p, dtype.Uint8); err != nil || p.Type != dtype.Type(dtype.Uint8) {
		return d, err
	}
	p.Type = dtype.Bool
	return d, nil
}

// prepare sets the kernel, and the type of the results for elements of a type.
func (d *reduced[S]) prepare(p *Plan, t dtype.Type) error {
	r, half := p.r, 0.5
	integer := S(half) == 0
	plain := d.l.Scale == 1 && d.l.Offset == 0
	certain := r.Least == 0 && !r.emptyGroups() // each result has elements
	d.k = kernel[S]{op: r.Op, missing: d.l.Missing, has: d.l.Has, weighted: r.Weights != nil, raw: r.KeepMissing && (r.Op == First || r.Op == Last)}
	if d.l.Scale < 0 { // the smallest decoded element is the largest stored one
		switch r.Op {
		case Min:
			d.k.op = Max
		case Max:
			d.k.op = Min
		}
	}
	wide := integer && t.Size() == 8
	exact := r.Op == Sum && plain && !d.l.Has && r.Least == 0
	d.k.whole = integer && r.Weights == nil && (r.Op == Sum || r.Op == Mean) && (!wide || exact)
	d.k.wide = d.k.whole && wide
	nan := memory([]float64{math.NaN()})
	switch {
	case r.Op == Count || integer && exact && d.k.whole:
		p.Type, d.most = dtype.Int64, 1<<63
		if unsigned := S(0) - 1; r.Op == Sum && unsigned > 0 {
			p.Type, d.most = dtype.Uint64, 1<<64
		}
		d.results = func(v *results[S]) []byte { return memory(v.whole) }
	case r.Op.moves() && plain && (!integer || d.l.Has || certain):
		p.Type, d.stored = t, true
		switch {
		case !integer:
			nan := math.NaN()
			d.none = S(nan)
			p.Missing, p.Float = memory([]S{d.none}), true
		case d.l.Has:
			d.none = d.l.Missing
			p.Missing = memory([]S{d.none})
		}
		d.results = func(v *results[S]) []byte { return memory(v.moved) }
	default:
		p.Type, p.Missing, p.Float = dtype.Float64, nan, true
		d.results = func(v *results[S]) []byte { return memory(v.floats) }
	}
	return nil
}

// emptyGroups reports whether a group has no elements.
func (r Reduction) emptyGroups() bool {
	for k, g := range r.Groups {
		if g == nil {
			continue
		}
		if r.Axes[k].Count == 0 {
			return true
		}
		if slices.Contains(g.sizes(r.Axes[k].Count), 0) {
			return true
		}
	}
	return false
}

// core waits for a CPU slot of an array's limits.
func core(ctx context.Context, a *zarr.Array) (*concurrency.Slot, error) {
	return a.Limits().Shared.CPU.Acquire(ctx)
}

// Plan plans the reduction. The error is fault.Type if the operation does not accept the data type.
func (r Reduction) Plan() (*Plan, error) {
	p := &Plan{r: r}
	of, err := pick(r.Array.DType(), reduceBools, reduceHalves, reduce[int8], reduce[int16], reduce[int32], reduce[int64],
		reduce[uint8], reduce[uint16], reduce[uint32], reduce[uint64], reduce[float32], reduce[float64])
	if err != nil {
		return nil, err
	}
	if r.Weights != nil && r.Op != Mean && r.Op != Sum && r.Op != Std {
		return nil, fault.Newf(fault.Selection, "the operation %v has no weights", r.Op)
	}
	if p.of, err = of(p); err != nil {
		return nil, err
	}
	p.divide()
	return p, nil
}
