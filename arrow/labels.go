package arrow

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
)

// labels are the values of a coordinate of one dimension as a dictionary, or the positions along a
// dimension without a coordinate.
type labels struct {
	values arrow.Array    // each value once; nil for positions
	codes  []int32        // of each position, the index of its value, or -1 for a missing one
	at     func(int) int  // position of an element of the dimension in the stored array
	typ    arrow.DataType // of the column
}

// readLabels reads the array of a dictionary. For positions it sends no request.
func (t *Table) readLabels(ctx context.Context, c column) (*labels, error) {
	if c.kind == nil {
		lead, err := t.ds.Var(t.lead)
		if err != nil {
			return nil, err
		}
		_, at, ok := lead.Axis(c.dim)
		if !ok {
			at = func(i int) int { return i }
		}
		return &labels{at: at}, nil
	}
	dims := c.array.Dims()
	all, err := c.kind.read(ctx, c.array, layoutOf(dims, dims))
	if err != nil {
		return nil, err
	}
	out := &labels{values: all, codes: make([]int32, all.Len()), typ: c.field.Type}
	seen, first := make(map[string]int32, all.Len()), make([]int64, 0, all.Len())
	for i := range out.codes {
		if all.IsNull(i) {
			out.codes[i] = -1
			continue
		}
		text := all.ValueStr(i)
		code, ok := seen[text]
		if !ok {
			code, first = int32(len(first)), append(first, int64(i))
			seen[text] = code
		}
		out.codes[i] = code
	}
	if len(first) < all.Len() {
		if out.values, err = compute.TakeArray(ctx, all, fixed(arrow.PrimitiveTypes.Int64, first, nil)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rows returns the values of n rows of a block from row number from on. The dimension begins at
// element number at in the block, where it has the given length and stride.
func (x *labels) rows(at, length int, stride, from int64, n int) arrow.Array {
	codes, positions := make([]int32, 0, n), make([]int64, 0, n)
	for i := int64(0); i < int64(n); {
		row := from + i
		run := min(stride-row%stride, int64(n)-i)
		k := at + int(row/stride%int64(length))
		for range run {
			if x.values == nil {
				positions = append(positions, int64(x.at(k)))
			} else {
				codes = append(codes, x.codes[k])
			}
		}
		i += run
	}
	if x.values == nil {
		return fixed(arrow.PrimitiveTypes.Int64, positions, nil)
	}
	missing := make([]bool, n)
	for i, c := range codes {
		if missing[i] = c < 0; c < 0 {
			codes[i] = 0
		}
	}
	return array.NewDictionaryArray(x.typ, fixed(arrow.PrimitiveTypes.Int32, codes, missing), x.values)
}
