package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// coordinate decides what the labels of a dimension are. It returns the array that is the index
// coordinate, or nil if the group has none: then the labels are the positions. It returns an error
// if the group has an array with the name of the dimension that cannot be opened or decoded, or
// whose dimension is unknown. Such an array is not proven to be absent.
func (d *Dataset) coordinate(dim string) (*stored, error) {
	if err := d.left[dim]; err != nil {
		return nil, err
	}
	s := d.vars[dim]
	switch {
	case s == nil || len(s.dims) != 1 || s.array.Name() != dim:
		return nil, nil
	case s.dims[0] == dim:
		return s, nil
	case len(s.unnamed) > 0:
		return nil, fault.Newf(fault.Metadata, "array %s has no name of its dimension, so it may be the coordinate", where(s.array.Path()))
	}
	return nil, nil
}

// FindIndex returns the index coordinate of a dimension in a group. It does not open the other
// arrays of the group. length is the length of the dimension, or negative if it is unknown.
//
// FindIndex returns nil without an error if the group is proven to have no coordinate of the
// dimension: no array has its name, or the array has other dimensions. Any other array with this
// name is a coordinate or an error. The error is that of opening the array, or of [OpenIndex], or
// fault.Metadata if the coordinate has another length. FindIndex reads the stored metadata of the
// array, and not the consolidated metadata of the group, which may be out of date.
func FindIndex(ctx context.Context, g *zarr.Group, dim string, length int, o Options) (*Index, error) {
	if g == nil {
		return nil, fault.Newf(fault.Selection, "the group of an index is nil")
	}
	if dim == "" || dim == "." || dim == ".." || strings.Contains(dim, "/") {
		return nil, nil // not the name of a node
	}
	a, err := openArray(ctx, g, dim)
	if errors.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x, err := findIndex(ctx, a, dim, o)
	if err == nil && x != nil && length >= 0 && x.Len() != length {
		return nil, fault.Newf(fault.Metadata, "the coordinate has length %d, but the dimension has length %d", x.Len(), length)
	}
	return x, err
}

// openArray opens an array of a group from its own documents. Nearly all arrays have the format of
// their group, so it requests the documents of that format first.
func openArray(ctx context.Context, g *zarr.Group, name string) (*zarr.Array, error) {
	path := strings.TrimPrefix(g.Path()+"/"+name, "/")
	if g.Format() == 3 {
		return zarr.OpenArray(node.Expecting(ctx, 3), g.Store(), path, g.Options()...)
	}
	a, err := zarr.OpenArray(ctx, g.Store(), path, append(g.Options(), zarr.Format(g.Format()))...)
	if errors.Is(err, fault.NotFound) {
		return zarr.OpenArray(ctx, g.Store(), path, g.Options()...)
	}
	return a, err
}

// findIndex reads the labels of dim from an array. It returns nil if the array is proven not to be
// the index coordinate.
func findIndex(ctx context.Context, a *zarr.Array, dim string, o Options) (*Index, error) {
	d := newDataset(nil, o)
	d.add(a)
	if err := d.decode(a.Name(), nil); err != nil {
		d.leave(a.Name(), err)
	}
	d.characters()
	s, err := d.coordinate(dim)
	if s == nil || err != nil {
		return nil, err
	}
	v := &Variable{d, dim, s}
	if err := fits(v, 0); err != nil {
		return nil, err
	}
	x, err := v.index(ctx)
	if err != nil {
		return nil, err
	}
	return &Index{x}, nil
}

// readAhead reads the index coordinates in Options.Indexes whose arrays are in the context of
// [node.Knowing], which [Dataset.members] uses too. These reads do not wait for the documents
// of other arrays. If one fails, [Dataset.indexes] reads the coordinate again.
func (d *Dataset) readAhead(ctx context.Context) map[string]index {
	g, ahead := node.Of(d.group), map[string]index{}
	for _, dim := range d.options.Indexes {
		if at := node.KnownIn(ctx).At(g, dim); at == nil || !g.Cfg.Direct {
			continue // unknown, or the dataset has the consolidated metadata of the array
		}
		if a, err := d.group.OpenArray(ctx, dim); err == nil {
			if x, err := findIndex(ctx, a, dim, d.options); err == nil && x != nil {
				ahead[dim] = x.labels
			}
		}
	}
	return ahead
}

// indexes reads the index coordinates concurrently, except those that were read ahead.
func (d *Dataset) indexes(ctx context.Context, ahead map[string]index) error {
	var read []*Variable
	used := int64(0)
	for _, dim := range d.dims {
		s, err := d.coordinate(dim.Name)
		if only := d.options.Indexes; s != nil && only != nil && !slices.Contains(only, dim.Name) {
			d.refused[dim.Name] = fault.Newf(fault.Selection, "Options.Indexes lacks the dimension, so its labels were not read")
			continue
		}
		if s != nil {
			v := &Variable{d, dim.Name, s}
			if err = fits(v, used); err == nil {
				read = append(read, v)
				used += v.indexSize()
			}
		}
		if err != nil {
			d.refuse(dim.Name, err)
		}
	}
	found := make([]index, len(read))
	causes := make([]error, len(read))
	err := concurrency.EachN(ctx, inFlight, len(read), func(ctx context.Context, i int) (err error) {
		if found[i] = ahead[read[i].name]; found[i] == nil || read[i].stored.inherits {
			found[i], err = read[i].index(ctx)
		}
		for _, kind := range []error{fault.NotFound, fault.Conflict, fault.Type, fault.Limit, fault.Corrupt, fault.Metadata, errors.ErrUnsupported} {
			if errors.Is(err, kind) {
				causes[i], err = err, nil
				break
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, v := range read {
		switch {
		case errors.Is(causes[i], fault.NotFound): // only consolidated metadata has the array
			d.refused[v.name] = causes[i]
			d.find(v.stored.array.Path(), "the variable is left out: %v", causes[i])
			d.vars, d.left = maps.Clone(d.vars), maps.Clone(d.left) // other datasets may share them
			d.leave(v.name, causes[i])
		case causes[i] != nil:
			d.refuse(v.name, causes[i])
		default:
			delete(d.refused, v.name)
			d.index[v.name] = found[i]
		}
	}
	return nil
}

// refuse notes why the labels of a dimension are unknown.
func (d *Dataset) refuse(dim string, err error) {
	before := d.refused[dim]
	d.refused[dim] = err
	if s := d.vars[dim]; s != nil && (before == nil || before.Error() != err.Error()) {
		d.find(s.array.Path(), "the coordinate has no index: %v", err)
	}
}

// fits returns fault.Limit if the index of a coordinate does not fit the memory budget together
// with used bytes of other indexes.
func fits(v *Variable, used int64) error {
	need, size := v.indexSize(), v.stored.array.Limits().Shared.Bytes.Size()
	if need <= size-used || need <= leastIndex {
		return nil
	}
	return fault.Newf(fault.Limit, "the index of %d labels of %s needs %d bytes, more than the %d of the memory budget that other indexes leave", v.Len(), where(v.stored.array.Path()), need, max(size-used, 0))
}

// leastIndex is the size of an index in bytes that fits every budget: a service with a budget of a
// few bytes for tests or for one request still opens small coordinates.
const leastIndex = 1 << 20

// indexSize returns an upper bound of the memory in bytes that the stored values of a coordinate
// and its index take. Texts of varying length are estimated with 32 bytes.
func (v *Variable) indexSize() int64 {
	n, size := float64(v.Len()), 0
	t := v.stored.array.DType()
	numeric := v.stored.coding != nil
	switch t.(type) {
	case dtype.DateTime:
		size = 8 + timeSize
	case dtype.TimeDelta:
		size = 16
	default:
		_, timed := v.units()
		switch {
		case numeric && timed:
			size = t.Size() + timeSize
		case numeric && (t == dtype.Int64 || t == dtype.Uint64) && !v.stored.coding.Packed() && !v.stored.coding.CanMiss():
			size = 8 // the values are the keys
		case numeric:
			size = t.Size() + 8
		case v.stored.chars:
			size = 2*v.stored.array.Shape()[len(v.stored.dims)] + textSize
		case t.Size() > 0:
			size = 2*t.Size() + textSize
		default:
			size = 32 + textSize
		}
	}
	return int64(min(n*float64(size), 1<<62))
}

// The sizes of a cf.Time and of the header of a string in bytes.
const (
	timeSize = 24
	textSize = 16
)

// units reports whether the values are times or time differences.
func (v *Variable) units() (any, bool) {
	if v.stored.delta != 0 {
		return v.stored.delta, true
	}
	if v.stored.coding == nil {
		return nil, false
	}
	return v.stored.coding.Units()
}

// index reads the values of a coordinate. It reserves the memory of the index while it reads.
func (v *Variable) index(ctx context.Context) (index, error) {
	hold, err := v.stored.array.Limits().Shared.Bytes.Acquire(ctx, concurrency.Block, v.indexSize())
	if err != nil {
		return nil, err
	}
	defer hold.Release()
	switch t := v.stored.array.DType().(type) {
	case dtype.DateTime:
		keys, err := v.Times(ctx)
		return times(v.name, keys, nil), err
	case dtype.TimeDelta:
		values, err := read[dtype.Span](ctx, v)
		if err != nil {
			return nil, err
		}
		return v.spansOf(t, values)
	}
	if v.stored.array.DType() == dtype.Type(dtype.Bool) {
		keys, err := read[bool](ctx, v)
		return truths(v.name, keys), err
	}
	if v.stored.coding == nil {
		if !v.isText() {
			return nil, fault.Newf(fault.Type, "variable %s: elements of the data type %v are not labels", v.name, v.stored.array.DType())
		}
		keys, err := v.Strings(ctx)
		return texts(v.name, keys), err
	}
	n, err := v.numbers(ctx)
	if err != nil {
		return nil, err
	}
	return v.indexOf(n)
}

// isText reports whether the elements are texts.
func (v *Variable) isText() bool {
	switch v.stored.array.DType().(type) {
	case dtype.S, dtype.U, dtype.VarLen:
		return true
	}
	return false
}

// indexOf returns an index of stored values of the variable.
func (v *Variable) indexOf(n numbers) (index, error) {
	c, t := v.stored.coding, v.stored.array.DType()
	if v.stored.delta != 0 {
		keys, err := n.spans(v.name, v.stored.delta)
		if err != nil {
			return nil, err
		}
		return spans(v.name, keys), nil
	}
	if _, ok := c.Units(); ok {
		keys, err := n.times()
		if err != nil {
			return nil, err
		}
		return times(v.name, keys, c.Rounded), nil
	}
	switch {
	case c.Packed() || c.CanMiss():
	case c.IsBool():
		return truths(v.name, n.bools()), nil
	case c.Signed():
		return signed(v.name, n.signed()), nil
	case t.Size() == 8:
		return unsigned(v.name, n.unsigned()), nil
	default: // int64 represents all values, and labels may be negative
		return signed(v.name, as[int64](n.unsigned())), nil
	}
	keys, err := n.floats64()
	if err != nil {
		return nil, err
	}
	r := double
	switch {
	case c.Packed():
	case t == dtype.Float32:
		r = float
	case t == dtype.Float16:
		r = half
	}
	return floats(v.name, keys, r), nil
}

// spansOf returns an index of values of numpy's timedelta64.
func (v *Variable) spansOf(t dtype.TimeDelta, values []dtype.Span) (index, error) {
	keys := make([]span, len(values))
	for i, x := range values {
		if x == dtype.NaT {
			keys[i] = noSpan
			continue
		}
		d, err := t.Duration(x)
		if err != nil {
			return nil, fmt.Errorf("variable %s, value %d: %w", v.name, i, err)
		}
		keys[i] = span(d)
	}
	return spans(v.name, keys), nil
}
