package zarr

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Field gives a view of one field of an array of structures, or by the names that follow of a field
// in it, as an array of the field's data type. A field that is an array itself adds its axes to the
// shape, after those of a, as TensorStore has it: a field of 2 × 3 in an array of 100 makes 100 × 2
// × 3, and such axes are never cut into chunks. A view is read, written and selected of like any
// array, and has the attributes, options and chunks of a; the others fields keep their values: each
// chunk is read, changed and written, on condition that it was not replaced in between. Reading
// takes as many requests as reading whole structures. ErrType when the data type of a is no
// structure, or has no such field.
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
	pipe, err := a.pipe.Field(f)
	if err != nil {
		return nil, a.errf(err)
	}
	m := *a.meta
	m.DType, m.Fill = f.Type(), pipe.Largest().Fill
	m.Shape = slices.Concat(a.meta.Shape, f.Shape())
	m.Grid = a.meta.Grid.And(f.Shape())
	if names := a.Dims(); names != nil {
		m.Dims = append(names, make([]string, len(f.Shape()))...)
	}
	v := &fieldView{Field: f, base: a, path: slices.Clone(path)}
	view := makeArray(a.node, &m, pipe, a.shared, path)
	view.field = v
	return view, nil
}

// again is the same view of another array, if there is one.
func (v *fieldView) again(base *Array, err error) (*Array, error) {
	if err != nil {
		return nil, err
	}
	return base.Field(v.path...)
}
