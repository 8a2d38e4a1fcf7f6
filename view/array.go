package view

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// array is an array of a view.
type array struct {
	from    *dataset.Variable // the selected elements of the source
	dims    []string          // of the axes of from; "" for a dropped one and for characters
	chars   bool              // the last axis has the characters of texts
	made    *zarr.Array       // writes to a sink
	shard   *shard            // nil if objects are computed whole
	decoded bool
}

// varies is the assumed size in bytes of an element of varying length, with the header of its
// slice.
const varies = 64

// each returns the memory of an element while an object is computed.
func (a *array) each() int64 {
	n := a.made.DType().Size()
	switch {
	case n == 0:
		return varies
	case a.decoded: // the stored elements are in memory at the same time
		n += a.from.Array().DType().Size()
	}
	return int64(n)
}

// selected returns the variable with the elements in a box of the view, and their selection.
func (a *array) selected(b walk.Box) (*dataset.Variable, []zarr.Selection, error) {
	var q []dataset.Query
	for i, dim := range a.dims {
		if dim != "" {
			q = append(q, dataset.Slice(dim, b.At[i], b.At[i]+b.Shape[i]))
		}
	}
	part, err := a.from.Sel(q...)
	if err != nil {
		return nil, nil, err
	}
	sel := part.Selection()
	if last := len(sel) - 1; a.chars {
		sel[last] = zarr.Range(b.At[last], b.At[last]+b.Shape[last])
	}
	return part, sel, nil
}

// encode returns the object at a position of the grid, or nil if all of its elements are the fill
// value. It adds the objects of the source that it reads to in.
func (a *array) encode(ctx context.Context, coord []int, in *inputs) ([]byte, error) {
	out, err := a.write(ctx, a.made, walk.Object(a.made, coord), in)
	if err != nil {
		return nil, err
	}
	return out.values[a.made.ChunkKey(coord...)], nil
}

// write writes the elements in a box of the view to an array of the same shape.
func (a *array) write(ctx context.Context, to *zarr.Array, b walk.Box, in *inputs) (*encoded, error) {
	hold, err := a.made.Limits().Shared.Bytes.Acquire(ctx, concurrency.Block, b.Bytes(a.each()))
	if err != nil {
		return nil, err
	}
	defer hold.Release()
	part, src, err := a.selected(b)
	if err != nil {
		return nil, err
	}
	plan, err := part.Array().Plan(src...)
	if err != nil {
		return nil, err
	}
	var out encoded
	ctx = in.in(ctx)
	into, dst := out.in(ctx), zarr.Region{Start: b.At, Shape: b.Shape}.Select()
	switch size := to.DType().Size(); {
	case a.decoded && to.DType() == dtype.Float32:
		err = decode[float32](ctx, part, src, &out, to, dst, b.Len())
	case a.decoded:
		err = decode[float64](ctx, part, src, &out, to, dst, b.Len())
	case size == 0:
		var items [][]byte
		if items, err = part.Array().ReadItems(ctx, src...); err == nil {
			err = to.WriteItems(into, items, dst...)
		}
	default:
		buf := hold.Buffer(b.Len() * size)[:b.Len()*size]
		if err = part.Array().ReadBytes(ctx, buf, src...); err == nil {
			err = to.WriteBytes(into, buf, dst...)
		}
	}
	in.complete(plan)
	return &out, err
}

// decode reads n decoded values and writes them to out.
func decode[D cf.Float](ctx context.Context, from *dataset.Variable, src []zarr.Selection, out *encoded, to *zarr.Array, dst []zarr.Selection, n int) error {
	values, missing := make([]D, n), D(nan())
	c, _ := from.Coding()
	if err := compute.Decode(ctx, from.Array(), c, values, src...); err != nil {
		return err
	}
	for i, v := range values {
		if v != v { // with the bits of the fill value
			values[i] = missing
		}
	}
	return zarr.Write(out.in(ctx), to, values, dst...)
}

// plan returns the maximum requests to the source for the object at a position of the grid.
func (a *array) plan(coord []int) (store.Amount, error) {
	part, sel, err := a.selected(walk.Object(a.made, coord))
	if err != nil {
		return store.Amount{}, err
	}
	p, err := part.Array().Plan(sel...)
	if err != nil {
		return store.Amount{}, err
	}
	_, most := p.Bounds()
	return most, nil
}

// check returns fault.Conflict if the documents of the source's array describe another array than
// when the view was made.
func (a *array) check(ctx context.Context) error {
	was := a.from.Array()
	now, err := was.Refresh(ctx)
	switch {
	case errors.Is(err, fault.NotFound):
		return fault.Newf(fault.Conflict, "%q is gone; the view must be refreshed: %v", was.Path(), err)
	case err != nil:
		return err
	case !slices.Equal(was.Shape(), now.Shape()):
		return fault.Newf(fault.Conflict, "the shape of %q was %v and is %v; the view must be refreshed", was.Path(), was.Shape(), now.Shape())
	}
	what := was.Metadata().Difference(now.Metadata())
	if what == "" && !meta.SameAttrs(was.Attrs(), now.Attrs()) {
		what = "attributes"
	}
	if what != "" {
		return fault.Newf(fault.Conflict, "%q has another %s than when the view was made; the view must be refreshed", was.Path(), what)
	}
	return nil
}

// documents returns the maximum number of requests of check.
func (a *array) documents() int64 {
	if a.from.Array().Format() == 3 {
		return 1
	}
	return 3 // zarr.json takes precedence over the documents of v2
}

// need returns the memory of one object of an array while it is computed.
func (a *array) need(of *zarr.Array) int64 {
	grid := of.Metadata().Grid
	shape := slices.Clone(grid.Shape)
	for _, e := range grid.Edges {
		n := e.Every
		for _, r := range e.Runs {
			n = max(n, r.Edge)
		}
		shape = append(shape, n)
	}
	return walk.Bytes(shape, a.each())
}

// fits returns fault.Limit if an object of the array takes too much memory.
func (a *array) fits(memory, cache int64) error {
	of := a.made
	if a.shard != nil {
		of = a.shard.inner
		if n := a.shard.number(); n > cache/128 {
			return fault.Newf(fault.Limit, "a shard of %q has %d inner chunks, too many for Options.Cache (%d)", a.made.Path(), n, cache)
		}
	}
	if need := a.need(of); need > memory/2 {
		return fault.Newf(fault.Limit, "a chunk of %q takes %d bytes of memory, more than half of Options.Memory (%d): set smaller Chunks, or more Memory", a.made.Path(), need, memory)
	}
	return nil
}

// find returns the position of a chunk in the grid by the key of the chunk below the array.
func (a *array) find(key string) ([]int, error) {
	f := keys.Of(a.made, claim.Claim{}).Find(key)
	if f.Place != keys.Inside {
		return nil, fault.Newf(fault.NotFound, "the view has no such key")
	}
	return f.Coord, nil
}

// named adds the name of the array to an error of its construction.
func named(name string, err error) error { return fmt.Errorf("array %q of the view: %w", name, err) }
