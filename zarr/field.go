package zarr

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Field returns a view of one field of an array of structures, as an array of the field's data
// type. Further names in path select a field of that field. A field that is an array adds its axes
// to the shape, after those of a, as in TensorStore: a field of 2 × 3 in an array of 100 has the
// shape 100 × 2 × 3. The added axes are never divided into chunks.
//
// A view can be read, written and selected from like any array. It has the attributes, options and
// chunks of a. A write keeps the values of the other fields: each chunk is read, changed, and
// written on condition that it was not replaced in between. A read takes as many requests as
// reading whole structures.
//
// Field returns ErrType if the data type of a is not a structure or lacks the field.
func (a *Array) Field(path ...string) (*Array, error) {
	if a.field != nil {
		return a.field.base.Field(slices.Concat(a.field.path, path)...)
	}
	t, ok := a.of.Meta.DType.(*dtype.Struct)
	if !ok {
		return nil, a.errf(fault.Newf(fault.Type, "data type %v has no fields", a.of.Meta.DType))
	}
	f, ok := codec.NewField(t, a.of.Meta.Fill, path...)
	if !ok {
		return nil, a.errf(fault.Newf(fault.Type, "data type %v has no field %q", t, path))
	}
	pipe, err := a.of.Pipe.Field(f)
	if err != nil {
		return nil, a.errf(err)
	}
	m := *a.of.Meta
	m.DType, m.Fill = f.Type(), pipe.Largest().Fill
	m.Shape = slices.Concat(a.of.Meta.Shape, f.Shape())
	m.Grid = a.of.Meta.Grid.And(f.Shape())
	if names := a.Dims(); names != nil {
		m.Dims = append(names, make([]string, len(f.Shape()))...)
	}
	v := &fieldView{Field: f, base: a, path: slices.Clone(path)}
	view := a.viewed(a.of.Field(&m, pipe, path))
	view.field = v
	return view, nil
}

// reapply returns the same view of the array base, or err if err is not nil.
func (v *fieldView) reapply(base *Array, err error) (*Array, error) {
	if err != nil {
		return nil, err
	}
	return base.Field(v.path...)
}
