package dataset

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Variable is an array of a dataset, and the selection of its elements. It is immutable and safe
// for concurrent use.
type Variable struct {
	dataset *Dataset
	name    string
	stored  *stored
}

// Name returns the name of the variable.
func (v *Variable) Name() string {
	if v == nil {
		return ""
	}
	return v.name
}

// Array returns the stored array, without the selection.
func (v *Variable) Array() *zarr.Array {
	if v.zero() {
		return nil
	}
	return v.stored.array
}

// Attrs returns the attributes of the variable, without those that only describe its dimensions.
func (v *Variable) Attrs() map[string]any {
	if v.zero() {
		return nil
	}
	return clone(v.stored.attrs)
}

// Coding returns the CF coding of the values. It reports false if the variable is not numeric.
func (v *Variable) Coding() (*cf.Coding, bool) {
	if v.zero() {
		return nil, false
	}
	return v.stored.coding, v.stored.coding != nil
}

// Dims returns the dimensions of the selected elements, in order. A dimension of points takes the
// place of the first dimension that it replaces.
func (v *Variable) Dims() []Dim {
	if v.zero() {
		return nil
	}
	var out []Dim
	for i, name := range v.stored.dims {
		a, ok := v.dataset.chosen[name]
		switch {
		case !ok:
			out = append(out, Dim{name, v.stored.array.Shape()[i]})
		case a.points != "":
			if !slices.ContainsFunc(out, func(d Dim) bool { return d.Name == a.points }) {
				out = append(out, Dim{a.points, a.len()})
			}
		case !a.one:
			out = append(out, Dim{name, a.len()})
		}
	}
	return out
}

// Shape returns the lengths of the dimensions.
func (v *Variable) Shape() []int {
	dims := v.Dims()
	shape := make([]int, len(dims))
	for i, d := range dims {
		shape[i] = d.Len
	}
	return shape
}

// Len returns the number of selected elements.
func (v *Variable) Len() int {
	if v.zero() {
		return 0
	}
	n := 1
	for _, d := range v.Dims() {
		n *= d.Len
	}
	return n
}

// Selection returns the selection of the stored array, for the functions of package zarr. It
// selects the elements of the variable in the same order. Dropped dimensions have the length 1. An
// array of characters has an additional last axis for the characters.
func (v *Variable) Selection() []zarr.Selection {
	if v.zero() {
		return nil
	}
	sel, points := make([]zarr.Selection, len(v.stored.array.Shape())), false
	if v.stored.chars {
		sel[len(sel)-1] = zarr.All
	}
	for i, name := range v.stored.dims {
		a, ok := v.dataset.chosen[name]
		points = points || ok && a.points != ""
		if sel[i] = zarr.All; ok {
			sel[i] = a.selection()
		}
	}
	if points {
		return []zarr.Selection{v.points()}
	}
	return sel
}

// maxPoints is the maximum number of elements that points may select in one read. Their coordinates
// take 2 GiB for each axis.
const maxPoints = 1 << 28

// bounded returns fault.Limit if points select more than maxPoints elements.
func (v *Variable) bounded() error {
	if err := v.usable(); err != nil {
		return err
	}
	n, points := 1.0, false
	for _, d := range v.Dims() {
		n *= float64(d.Len)
	}
	for _, name := range v.stored.dims {
		points = points || v.dataset.chosen[name].points != ""
	}
	if points && n > maxPoints {
		return fault.Newf(fault.Limit, "variable %s has %.0f elements at the points, more than the maximum of %d", v.name, n, maxPoints)
	}
	return nil
}

// points returns the selection of the elements as points, by the position of each element along
// each axis.
func (v *Variable) points() zarr.Selection {
	dims, n := v.Dims(), v.Len()
	names := v.stored.dims
	if v.stored.chars {
		shape := v.stored.array.Shape()
		chars := Dim{"", shape[len(shape)-1]}
		dims, n, names = append(dims, chars), n*chars.Len, append(slices.Clone(names), "")
	}
	coords := make([][]int, len(names))
	for axis, name := range names {
		p, of := all(v.stored.array.Shape()[axis]), name
		a, ok := v.dataset.chosen[name]
		if ok {
			p = a.positions
		}
		if ok && a.points != "" {
			of = a.points
		}
		each, length := 1, 1 // elements between two values of this dimension, and its length
		if i := slices.IndexFunc(dims, func(d Dim) bool { return d.Name == of }); i >= 0 {
			length = dims[i].Len
			for _, d := range dims[i+1:] {
				each *= d.Len
			}
		}
		list := make([]int, n)
		for i := range list {
			list[i] = p.at(i / each % length)
		}
		coords[axis] = list
	}
	return zarr.Points(coords...)
}

// Plan returns the requests of a read of the variable, without sending any.
func (v *Variable) Plan() (*zarr.Plan, error) {
	if err := v.bounded(); err != nil {
		return nil, err
	}
	return v.stored.array.Plan(v.Selection()...)
}

// Read returns the values of a variable in C order, decoded by the CF conventions: packed values
// are scaled, and missing values are NaN. The error is fault.Type if the variable is not numeric.
// Other errors are those of zarr.Read.
func Read[T cf.Float](ctx context.Context, v *Variable) ([]T, error) {
	if err := v.bounded(); err != nil {
		return nil, err
	}
	if v.stored.coding == nil {
		return nil, v.noNumbers()
	}
	return compute.Read[T](ctx, v.stored.array, v.stored.coding, v.Selection()...)
}

// ReadMasked returns the stored values of a variable in C order, and reports which of them are
// missing. T is the Go type of the data type, so integers stay exact. The values are not scaled.
func ReadMasked[T cf.Number](ctx context.Context, v *Variable) (values []T, missing []bool, err error) {
	if err := v.usable(); err != nil {
		return nil, nil, err
	}
	if v.stored.coding == nil {
		return nil, nil, v.noNumbers()
	}
	if values, err = read[T](ctx, v); err != nil {
		return nil, nil, err
	}
	missing = make([]bool, len(values))
	_, err = cf.Missing(v.stored.coding, missing, values)
	return values, missing, err
}

// Times returns the times of a time coordinate in C order. The error is fault.Type if the variable
// has no time units.
func (v *Variable) Times(ctx context.Context) ([]cf.Time, error) {
	if err := v.usable(); err != nil {
		return nil, err
	}
	if t, ok := v.stored.array.DType().(dtype.DateTime); ok {
		return v.instants(ctx, t)
	}
	r, err := v.numbers(ctx)
	if err != nil {
		return nil, err
	}
	return r.times()
}

// Strings returns the values of a text variable in C order. If the variable stores characters along
// its last dimension, as NetCDF does, they are joined to strings.
func (v *Variable) Strings(ctx context.Context) ([]string, error) {
	if err := v.bounded(); err != nil {
		return nil, err
	}
	if v.stored.chars {
		return v.characters(ctx)
	}
	return zarr.ReadAs[string](ctx, v.stored.array, v.Selection()...)
}

// characters returns the texts of an array of characters, without the zero bytes at their ends.
func (v *Variable) characters(ctx context.Context) ([]string, error) {
	shape := v.stored.array.Shape()
	length := shape[len(shape)-1]
	chars, err := zarr.Read[[1]byte](ctx, v.stored.array, v.Selection()...)
	if err != nil {
		return nil, err
	}
	out, buf := make([]string, v.Len()), make([]byte, length)
	for i := range out {
		for j, c := range chars[i*length : (i+1)*length] {
			buf[j] = c[0]
		}
		out[i] = string(bytes.TrimRight(buf, "\x00"))
	}
	return out, nil
}

func (v *Variable) noNumbers() error {
	return fault.Newf(fault.Type, "variable %s: data type %v has no numbers", v.name, v.stored.array.DType())
}

// instants returns the values of numpy's datetime64.
func (v *Variable) instants(ctx context.Context, t dtype.DateTime) ([]cf.Time, error) {
	values, err := read[dtype.Instant](ctx, v)
	if err != nil {
		return nil, err
	}
	return v.instantsOf(t, values)
}

// instantsOf converts values of numpy's datetime64.
func (v *Variable) instantsOf(t dtype.DateTime, values []dtype.Instant) ([]cf.Time, error) {
	dst := make([]cf.Time, len(values))
	for i, x := range values {
		if x == dtype.NaT {
			dst[i] = cf.NaT(cf.ProlepticGregorian)
			continue
		}
		at, err := t.Time(x)
		if err != nil {
			return nil, fmt.Errorf("variable %s, value %d: %w", v.name, i, err)
		}
		dst[i] = cf.TimeOf(at)
	}
	return dst, nil
}

// numbers reads the stored values.
func (v *Variable) numbers(ctx context.Context) (numbers, error) {
	if err := v.usable(); err != nil {
		return nil, err
	}
	if v.stored.coding == nil {
		return nil, v.noNumbers()
	}
	return goType(v.stored.array.DType()).read(ctx, v)
}

// read returns the stored values as S.
func read[S any](ctx context.Context, v *Variable) ([]S, error) {
	if err := v.bounded(); err != nil {
		return nil, err
	}
	if v.stored.array.DType() == dtype.Float16 {
		return zarr.ReadAs[S](ctx, v.stored.array, v.Selection()...)
	}
	return zarr.Read[S](ctx, v.stored.array, v.Selection()...)
}
