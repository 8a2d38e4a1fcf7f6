package arrow

import (
	"context"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// texts reads texts and JSON values.
type texts struct{}

func (texts) typ() arrow.DataType { return arrow.BinaryTypes.String }

func (texts) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, err := v.Strings(ctx)
	if err != nil {
		return nil, err
	}
	for i, s := range values {
		if !utf8.ValidString(s) {
			return nil, fault.Newf(fault.Type, "variable %s, value %d: %q is not UTF-8", v.Name(), i, s)
		}
	}
	return ofBytes(v, arrow.BinaryTypes.String, arrange(l, values), nil)
}

// binaries reads bytes of varying length.
type binaries struct{}

func (binaries) typ() arrow.DataType { return arrow.BinaryTypes.Binary }

func (binaries) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, err := zarr.Read[[]byte](ctx, v.Array(), v.Selection()...)
	if err != nil {
		return nil, err
	}
	return ofBytes(v, arrow.BinaryTypes.Binary, arrange(l, values), nil)
}

// ofBytes returns an array of texts or bytes. The error is fault.Limit if together they have 2 GiB
// or more, the maximum of an array.
func ofBytes[T ~string | ~[]byte](v *dataset.Variable, t arrow.DataType, values []T, missing []bool) (arrow.Array, error) {
	total := int64(0)
	for _, s := range values {
		total += int64(len(s))
	}
	if total > math.MaxInt32 {
		return nil, fault.Newf(fault.Limit, "variable %s: a block of %d elements has %d bytes, more than a column can hold", v.Name(), len(values), total)
	}
	valid, nulls := validity(missing)
	offsets, all := make([]int32, len(values)+1), make([]byte, 0, total)
	for i, s := range values {
		all = append(all, s...)
		offsets[i+1] = int32(len(all))
	}
	d := array.NewData(t, len(values), []*memory.Buffer{valid, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(all)}, nil, nulls, 0)
	defer d.Release()
	return array.MakeFromData(d), nil
}

// bools reads the data type bool.
type bools struct{}

func (bools) typ() arrow.DataType { return arrow.FixedWidthTypes.Boolean }

func (bools) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, err := zarr.Read[bool](ctx, v.Array(), v.Selection()...)
	if err != nil {
		return nil, err
	}
	return boolean(arrange(l, values), nil), nil
}
