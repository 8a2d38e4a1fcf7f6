package pyramid

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// maxCoordinate is the maximum size of an index coordinate in bytes. Build reads the whole
// coordinate into memory.
const maxCoordinate = 32 << 20

// coordinates creates the index coordinates of a level in the group of its array. It averages the
// coordinates of downsampled dimensions over the windows of the previous level, and copies the
// other coordinates. It does nothing if all levels are arrays of the same group.
func (b *builder) coordinates(ctx context.Context, level int) error {
	to, _ := split(b.layout.path(level))
	if to == b.layout.group {
		return nil
	}
	from, _ := split(b.layout.path(level - 1))
	shape := b.source.Shape()
	for range level - 1 {
		shape = smaller(shape, b.factor)
	}
	for d, name := range b.source.Dims() {
		if name == "" || join(from, name) == b.layout.path(level-1) {
			continue
		}
		a, err := zarr.OpenArray(ctx, b.st, join(from, name), append(slices.Clone(b.opts), zarr.IgnoreConsolidated())...)
		switch {
		case errors.Is(err, fault.NotFound):
			continue
		case err != nil:
			return err
		case !slices.Equal(a.Shape(), shape[d:d+1]) || a.Chunks() == nil:
			continue
		case volume(a.Shape(), max(a.DType().Size(), 8)) > maxCoordinate:
			return fault.Newf(fault.Limit, "coordinate %q has %d elements of %v, more than %d bytes", a.Path(), shape[d], a.DType(), maxCoordinate)
		}
		if err := b.coordinate(ctx, a, join(to, name), b.factor[d]); err != nil {
			return err
		}
	}
	return nil
}

// coordinate creates the coordinate at path from the coordinate a of the previous level.
func (b *builder) coordinate(ctx context.Context, a *zarr.Array, path string, factor int) error {
	if factor == 1 {
		return b.copied(ctx, a, path)
	}
	var err error
	length := a.Shape()[0]
	in := make([]byte, 8*length)
	spec, err := resized(a, smaller(a.Shape(), []int{factor}))
	if err != nil {
		return err
	}
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
		e := doubles()
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
	return b.store(ctx, path, spec, out)
}

// integral reports whether t is an integer type. Means of integer coordinates are stored as
// float64.
func integral(t dtype.Type) bool {
	b, ok := t.(dtype.Basic)
	return ok && b >= dtype.Int8 && b <= dtype.Uint64
}

// copied copies the coordinate a to path.
func (b *builder) copied(ctx context.Context, a *zarr.Array, path string) error {
	spec := a.Spec()
	if a.DType().Size() > 0 {
		elems := make([]byte, a.Shape()[0]*a.DType().Size())
		if err := a.ReadBytes(ctx, elems); err != nil {
			return err
		}
		return b.store(ctx, path, spec, elems)
	}
	spec.Attrs = withoutBounds(spec.Attrs)
	items, err := a.ReadItems(ctx)
	if err != nil {
		return err
	}
	u, err := prepare(ctx, b.st, path, spec, b.opts)
	if err != nil {
		return err
	}
	if is, err := u.stored(ctx, b.st, b.opts); err != nil || is {
		return err
	}
	if err := u.array.WriteItems(ctx, items); err != nil {
		return err
	}
	return u.publish(ctx, b.st)
}

// withoutBounds returns attributes without bounds, because levels lack bounds variables.
func withoutBounds(attrs map[string]any) map[string]any {
	attrs = maps.Clone(attrs)
	delete(attrs, "bounds")
	return attrs
}

// store creates a coordinate. If the coordinate exists, for example from the pyramid of another
// array, store checks that it has the same elements.
func (b *builder) store(ctx context.Context, path string, spec zarr.Spec, elems []byte) error {
	spec.Attrs = withoutBounds(spec.Attrs)
	u, err := prepare(ctx, b.st, path, spec, b.opts)
	if err != nil {
		return err
	}
	is, err := u.stored(ctx, b.st, b.opts)
	switch {
	case err != nil:
		return err
	case !is:
		if err := u.array.WriteBytes(ctx, elems); err != nil {
			return err
		}
		return u.publish(ctx, b.st)
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
