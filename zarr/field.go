package zarr

import (
	"context"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/internal/shard"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// fieldView is what makes an Array a view of one field of another.
type fieldView struct {
	*codec.Field
	base  *Array
	path  []string
	fills []byte // of the values within an element, where they differ; else nil
}

// Field gives a view of one field of an array of structures, or by the names that follow of a field in it, as an array of the
// field's data type. A field that is an array itself adds its axes to the shape, after those of a, as TensorStore has it: a
// field of 2 × 3 in an array of 100 makes 100 × 2 × 3, and such axes are never cut into chunks. A view is read, written and
// selected of like any array, and has the attributes, options and chunks of a; the others fields keep their values: each
// chunk is read, changed and written, on condition that nobody replaced it in between. Reading takes as many requests as
// reading whole structures. ErrType when the data type of a is no structure, or has no such field.
func (a *Array) Field(path ...string) (*Array, error) {
	if a.field != nil {
		return a.field.base.Field(slices.Concat(a.field.path, path)...)
	}
	t, ok := a.meta.DType.(*dtype.Struct)
	if !ok {
		return nil, a.errf(fault.Newf(fault.Type, "elements of %v have no fields", a.meta.DType))
	}
	f, ok := codec.NewField(t, a.meta.Fill, path...)
	if !ok {
		return nil, a.errf(fault.Newf(fault.Type, "%v has no field %q", t, path))
	}
	v := &fieldView{Field: f, base: a, path: slices.Clone(path)}
	m := *a.meta
	m.DType = f.Type()
	m.Shape = slices.Concat(a.meta.Shape, f.Shape())
	m.Grid = a.meta.Grid.And(f.Shape())
	if names := a.Dims(); names != nil {
		m.Dims = append(names, make([]string, len(f.Shape()))...)
	}
	b := *a
	b.meta, b.field = &m, v
	b.fill = v.setFill(a.fill)
	m.Fill = nil
	if a.meta.Fill != nil && v.fills == nil {
		m.Fill = b.fill
	}
	b.cfg.table = a.cfg.table.With(f.Name, f.Factory)
	b.axes = slices.Concat(a.axes, grid.Even(f.Shape()))
	if b.object = nil; a.object != nil {
		b.object = slices.Concat(a.object, f.Shape())
	}
	b.blocks = slices.Concat(a.blocks, grid.Even(f.Shape()))
	if err := b.bindAll(slices.Concat([]codec.Spec{{Name: f.Name}}, a.chain.Specs())); err != nil {
		return nil, a.errf(err)
	}
	return &b, nil
}

// again is the same view of another array, if there is one.
func (v *fieldView) again(base *Array, err error) (*Array, error) {
	if err != nil {
		return nil, err
	}
	return base.Field(v.path...)
}

// setFill gives the fill value of one value, and keeps those of all in an element where they differ.
func (v *fieldView) setFill(of []byte) []byte {
	n := v.Type().Size()
	all := make([]byte, n*product(v.Shape()))
	v.Take(all, of)
	if !grid.IsFill(all, all[:n]) {
		v.fills = all
	}
	return all[:n]
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// stored is the position of an object in the grid of those that are stored.
func (a *Array) stored(coord []int) []int {
	if a.field != nil {
		return coord[:len(a.field.base.meta.Shape)]
	}
	return coord
}

// fillRegion sets a box of dst to the fill value.
func (a *Array) fillRegion(b grid.Box, dst []byte, region []int) {
	if a.field == nil || a.field.fills == nil {
		b.FillRegion(dst, region, a.fill)
		return
	}
	shape, n := a.field.Shape(), a.meta.DType.Size()
	for i := range product(shape) {
		b.Within(shape, i).FillRegion(dst, region, a.field.fills[i*n:(i+1)*n])
	}
}

// fieldWriter lays values of a field over structures.
type fieldWriter struct {
	*fieldView
	layout *shard.Layout // of the view
}

func (w *fieldWriter) lay(b grid.Box, chunk []byte, shape []int, src []byte, region []int) {
	shape = slices.Concat(shape, w.Shape())
	n := w.Type().Size()
	values := make([]byte, product(shape)*n)
	w.Take(values, chunk)
	b.ToChunk(values, src, region, shape, n)
	w.Put(chunk, values)
}

// writeField writes a field: always as parts of chunks, since the other fields stay.
func (a *Array) writeField(ctx context.Context, src []byte, r grid.Selection) error {
	p := plan.Plan{Layout: a.layout(), Region: r}
	if err := a.admit(p, true); err != nil {
		return err
	}
	base, shape := a.field.base, r.Shape()
	op, allow := a.cfg.limits.Bytes.Op(), a.allowance()
	return concurrency.Each(ctx, min(a.inFlight(), p.Len()), p.Fetches(), func(ctx context.Context, f plan.Fetch) error {
		one, err := base.of(f.Object.Shape[:len(base.meta.Shape)])
		if err == nil {
			fw := &fieldWriter{a.field, f.Object.Shards}
			w := chunkWriter{a: one, op: op, allow: allow, layout: one.shardLayout(), f: f, src: src, region: shape, field: fw}
			err = w.partial(ctx)
		}
		if err != nil {
			return a.chunkErr("write", f, err)
		}
		return nil
	})
}
