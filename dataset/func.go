package dataset

import (
	"context"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Func returns data for the variable with the given name: rows rows along the dimension of
// [Dataset.Append], which the function write stores in their stored form. write has the meaning of
// zarr.Rows.Write: it gets a view of the array that includes the new rows, and the index of the
// first new row. If Append waits for other processes, it may call write more than once. A write
// that fills the rows with the fill value reserves them.
//
// The variable must not be the index coordinate of the dimension, whose labels Append compares.
// [Dataset.Write] returns fault.Selection for such data.
func Func(name string, rows int, write func(ctx context.Context, view *zarr.Array, from int) error) Data {
	return Data{name, func(v *Variable) (column, error) {
		if v.stored.indexes(v.name) {
			return column{}, fault.Newf(fault.Selection, "variable %s: the labels of an index coordinate must be in memory", v.name)
		}
		if rows < 0 || write == nil {
			return column{}, fault.Newf(fault.Selection, "variable %s: Func needs a function, and at least 0 rows; it has %d", v.name, rows)
		}
		return column{
			rows:   zarr.Rows{Path: v.name, N: rows, Write: write},
			byRows: true,
			write: func(context.Context, *zarr.Array, ...zarr.Selection) error {
				return fault.Newf(fault.Selection, "variable %s: Func only appends", v.name)
			},
		}, nil
	}}
}
