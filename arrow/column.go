package arrow

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// column is a column of a table. It has one of three forms:
//
//   - the labels of a dimension, or another coordinate of one dimension: a dictionary of the
//     values, which the reader holds;
//   - the positions along a dimension without labels, which need no array;
//   - the elements of an array, which are read block by block.
type column struct {
	field arrow.Field
	dim   string            // of a dictionary or of positions; "" for elements
	array *dataset.Variable // nil for positions
	kind  kind              // of the array
}

// kind reads arrays of one kind of values as columns of one type.
type kind interface {
	typ() arrow.DataType
	// read returns the elements of a variable, or of a part of it, in the order of l.
	read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error)
}

// maxDictionary is the maximum number of labels of a dictionary. The labels and the codes of a
// million positions take about 12 MB while the table is read.
const maxDictionary = 1 << 20

// label returns the column of a dimension: its labels, or its positions if it has no index
// coordinate or one that cannot be a column.
func (t *Table) label(lead *dataset.Variable, d dataset.Dim) column {
	if v, ok := lead.Coord(d.Name); ok {
		if c, err := t.column(v); err == nil {
			return c
		}
	}
	name := d.Name
	if slices.Contains(t.names, name) { // a variable with the name of a dimension that it is not the index of
		name += "_position"
	}
	return column{field: arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64}, dim: d.Name}
}

// column returns the column of an array.
func (t *Table) column(v *dataset.Variable) (column, error) {
	k, err := kindOf(v)
	if err != nil {
		return column{}, err
	}
	c := column{field: arrow.Field{Name: v.Name(), Type: k.typ(), Nullable: true, Metadata: metadata(v.Attrs(), k.typ())}, array: v, kind: k}
	dims := v.Dims()
	if len(dims) == 1 && len(t.dims) > 1 && dims[0].Len <= maxDictionary && k.typ().ID() != arrow.BOOL {
		c.dim = dims[0].Name
		c.field.Type = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: k.typ()}
	}
	return c, nil
}

// metadata returns the attributes that describe a column of a type. Units of time do not: values
// are decoded.
func metadata(attrs map[string]any, t arrow.DataType) arrow.Metadata {
	var keys, values []string
	for _, key := range []string{"long_name", "standard_name", "units"} {
		if text, ok := attrs[key].(string); ok && (key != "units" || arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID())) {
			keys, values = append(keys, key), append(values, text)
		}
	}
	return arrow.NewMetadata(keys, values)
}

// kindOf returns how an array is read. The error is fault.Type if its values are not those of a
// column.
func kindOf(v *dataset.Variable) (kind, error) {
	switch t := v.Array().DType().(type) {
	case dtype.DateTime:
		return timesOf(t), nil
	case dtype.TimeDelta:
		return spans{t}, nil
	case dtype.S, dtype.U:
		return texts{}, nil
	case dtype.VarLen:
		if t == dtype.Bytes {
			return binaries{}, nil
		}
		return texts{}, nil
	case dtype.Basic:
		switch t {
		case dtype.Bool:
			return bools{}, nil
		case dtype.Int8:
			return numberKind[int8](v), nil
		case dtype.Int16:
			return numberKind[int16](v), nil
		case dtype.Int32:
			return numberKind[int32](v), nil
		case dtype.Int64:
			return numberKind[int64](v), nil
		case dtype.Uint8:
			return numberKind[uint8](v), nil
		case dtype.Uint16:
			return numberKind[uint16](v), nil
		case dtype.Uint32:
			return numberKind[uint32](v), nil
		case dtype.Uint64:
			return numberKind[uint64](v), nil
		case dtype.Float16, dtype.Float32:
			return numberKind[float32](v), nil
		case dtype.Float64:
			return numberKind[float64](v), nil
		}
	}
	return nil, fault.Newf(fault.Type, "elements of the data type %v are not values of a column", v.Array().DType())
}
