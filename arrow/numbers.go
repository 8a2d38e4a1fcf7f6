package arrow

import (
	"context"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
)

// numberKind returns the kind of an array whose stored values are numbers of type S.
func numberKind[S cf.Number](v *dataset.Variable) kind {
	c, _ := v.Coding()
	if u, ok := c.Units(); ok {
		return calendarTimes(u, reflect.TypeFor[S]().Kind() < reflect.Float32 && !c.Packed())
	}
	if unit, ok := c.Difference(); ok {
		return differences[S]{c, unit}
	}
	switch {
	case c.IsBool():
		return flags[S]{}
	case c.Packed():
		return packed[S]{c}
	}
	return numbers[S]{primitive[S](c)}
}

// primitive returns the type of stored numbers, or the one of the other sign if _Unsigned says so.
func primitive[S cf.Number](c *cf.Coding) arrow.DataType {
	p := &arrow.PrimitiveTypes
	types := map[reflect.Kind][2]arrow.DataType{ // signed and unsigned
		reflect.Int8: {p.Int8, p.Uint8}, reflect.Int16: {p.Int16, p.Uint16}, reflect.Int32: {p.Int32, p.Uint32}, reflect.Int64: {p.Int64, p.Uint64},
		reflect.Uint8: {p.Int8, p.Uint8}, reflect.Uint16: {p.Int16, p.Uint16}, reflect.Uint32: {p.Int32, p.Uint32}, reflect.Uint64: {p.Int64, p.Uint64},
		reflect.Float32: {p.Float32, p.Float32}, reflect.Float64: {p.Float64, p.Float64},
	}[reflect.TypeFor[S]().Kind()]
	if c.Signed() {
		return types[0]
	}
	return types[1]
}

// numbers reads values that are not packed.
type numbers[S cf.Number] struct{ is arrow.DataType }

func (n numbers[S]) typ() arrow.DataType { return n.is }

func (n numbers[S]) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, missing, err := dataset.ReadMasked[S](ctx, v)
	if err != nil {
		return nil, err
	}
	return fixed(n.is, arrange(l, values), arrange(l, missing)), nil
}

// packed reads values that have a scale factor or an offset.
type packed[S cf.Number] struct{ coding *cf.Coding }

func (packed[S]) typ() arrow.DataType { return arrow.PrimitiveTypes.Float64 }

func (p packed[S]) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, missing, err := dataset.ReadMasked[S](ctx, v)
	if err != nil {
		return nil, err
	}
	decoded := make([]float64, len(values))
	if err := cf.Decode(p.coding, decoded, values); err != nil {
		return nil, err
	}
	return fixed(p.typ(), arrange(l, decoded), arrange(l, missing)), nil
}

// flags reads booleans that xarray stored as integers.
type flags[S cf.Number] struct{}

func (flags[S]) typ() arrow.DataType { return arrow.FixedWidthTypes.Boolean }

func (flags[S]) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, missing, err := dataset.ReadMasked[S](ctx, v)
	if err != nil {
		return nil, err
	}
	set := make([]bool, len(values))
	for i, x := range values {
		set[i] = x != 0
	}
	return boolean(arrange(l, set), arrange(l, missing)), nil
}

// fixed returns an array that shares the values. missing is nil if none is.
func fixed[T arrow.FixedWidthType](t arrow.DataType, values []T, missing []bool) arrow.Array {
	valid, nulls := validity(missing)
	d := array.NewData(t, len(values), []*memory.Buffer{valid, memory.NewBufferBytes(arrow.GetBytes(values))}, nil, nulls, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

// boolean returns an array of booleans.
func boolean(set, missing []bool) arrow.Array {
	valid, nulls := validity(missing)
	d := array.NewData(arrow.FixedWidthTypes.Boolean, len(set), []*memory.Buffer{valid, memory.NewBufferBytes(bitmap(set, true))}, nil, nulls, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

// validity returns the bitmap of the elements that are not missing, or nil if none is.
func validity(missing []bool) (*memory.Buffer, int) {
	nulls := 0
	for _, m := range missing {
		if m {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	return memory.NewBufferBytes(bitmap(missing, false)), nulls
}

// bitmap returns the bits of the elements that equal one.
func bitmap(set []bool, one bool) []byte {
	bits := make([]byte, bitutil.BytesForBits(int64(len(set))))
	for i, s := range set {
		if s == one {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}
