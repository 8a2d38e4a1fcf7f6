package pyramid

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// maxCoordinate is the maximum size of an index coordinate in bytes. Build reads the whole
// coordinate into memory.
const maxCoordinate = 32 << 20

// coordinate creates the index coordinate at path from the coordinate a of the previous level.
func (b *builder) coordinate(ctx context.Context, level int, a *zarr.Array, path string, factor int, attrs map[string]any) error {
	var err error
	length := a.Shape()[0]
	in := make([]byte, 8*length)
	spec, err := resized(a, smaller(a.Shape(), []int{factor}))
	if err != nil {
		return err
	}
	spec.Attrs = maps.Clone(attrs)
	r, err := reducerOf(a, Mean, false)
	switch {
	case errors.Is(err, fault.Type):
		return nil // only numbers and times have a mean
	case err != nil:
		return err
	case integral(a.DType()):
		values, err := zarr.ReadAs[float64](ctx, a)
		if err != nil {
			return err
		}
		e := plain[float64]()
		e.put(in, values)
		r = floats(e, Mean, nil)
		spec.DType, spec.Fill, spec.Codecs = dtype.Float64, math.NaN(), nil
		for _, name := range []string{"_FillValue", "missing_value", "_Unsigned"} {
			delete(spec.Attrs, name)
		}
		// The stored codecs may require integers, so the float64 coordinate has the default codecs.
		spec = zarr.Spec{
			Format: spec.Format, Shape: spec.Shape, Chunks: a.Chunks(), DType: spec.DType, Fill: spec.Fill, Separator: spec.Separator, Dims: spec.Dims, Attrs: spec.Attrs, Keys: spec.Keys,
		}
		spec.Chunks[0] = min(spec.Chunks[0], spec.Shape[0])
	default:
		in = in[:length*a.DType().Size()]
		if err := a.ReadBytes(ctx, in); err != nil {
			return err
		}
	}
	out := make([]byte, spec.Shape[0]*spec.DType.Size())
	if err := r.reduce(out, spec.Shape, []int{0}, spec.Shape, in, []int{length}, []int{factor}); err != nil {
		return err
	}
	return b.store(ctx, level, path, spec, out)
}

// integral reports whether t is an integer type. Means of integer coordinates are stored as
// float64.
func integral(t dtype.Type) bool {
	b, ok := t.(dtype.Basic)
	return ok && b >= dtype.Int8 && b <= dtype.Uint64
}

// copied copies the variable a to path.
func (b *builder) copied(ctx context.Context, level int, a *zarr.Array, path string, attrs map[string]any) error {
	spec := a.Spec()
	spec.Attrs = attrs
	if a.DType().Size() > 0 {
		elems := make([]byte, a.Len()*a.DType().Size())
		if err := a.ReadBytes(ctx, elems); err != nil {
			return err
		}
		return b.store(ctx, level, path, spec, elems)
	}
	items, err := a.ReadItems(ctx)
	if err != nil {
		return err
	}
	u, err := prepare(ctx, b.st, path, spec, b.opts)
	if err != nil {
		return err
	}
	is, err := b.begin(ctx, level, u)
	if err != nil {
		return err
	}
	if !is {
		if err := u.array.WriteItems(ctx, items); err != nil {
			return err
		}
		return b.publish(ctx, u)
	}
	present, err := b.stored(ctx, level, u.array, is)
	if err != nil || present == nil {
		return err
	}
	for r := range b.missing(u.array, present, func() {}) { // of at most one dimension
		part := items
		for d, at := range r.Start {
			part = items[at : at+r.Shape[d]]
		}
		if err := u.array.WriteItems(ctx, part, r.Select()...); err != nil {
			return err
		}
	}
	return nil
}

// store creates a coordinate. If the coordinate exists, for example from the pyramid of another
// array, store checks that it has the same elements.
func (b *builder) store(ctx context.Context, level int, path string, spec zarr.Spec, elems []byte) error {
	u, err := prepare(ctx, b.st, path, spec, b.opts)
	if err != nil {
		return err
	}
	is, err := b.begin(ctx, level, u)
	switch {
	case err != nil:
		return err
	case !is:
		if err := u.array.WriteBytes(ctx, elems); err != nil {
			return err
		}
		return b.publish(ctx, u)
	}
	old := make([]byte, len(elems))
	if err := u.array.ReadBytes(ctx, old); err != nil {
		return err
	}
	if !bytes.Equal(old, elems) {
		return fault.Newf(fault.Exists, "the coordinate %q is stored with other elements: remove it first", path)
	}
	return nil
}
