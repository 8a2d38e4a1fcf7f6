package dataset

import (
	"context"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Index finds the labels of one index coordinate without opening the dataset. It is immutable and
// safe for concurrent use. The zero Index has no labels.
type Index struct {
	labels index // nil for the zero Index
}

// OpenIndex reads the values of an index coordinate. Only these reads send requests. The values
// stay in memory.
//
// The error is fault.Type if the array is not an index coordinate: it must have one dimension with
// the name of the array, and a type that can be decoded to numbers, bools, times, time differences
// or texts. It is fault.Limit if the index does not fit the memory budget of the array. OpenIndex
// also returns the errors of cf.New and [zarr.Read]. [FindIndex] decides whether a dimension has a
// coordinate.
func OpenIndex(ctx context.Context, a *zarr.Array, o Options) (*Index, error) {
	if a == nil {
		return nil, fault.Newf(fault.Selection, "the array of an index is nil")
	}
	x, err := findIndex(ctx, a, a.Name(), o)
	if err == nil && x == nil {
		err = fault.Newf(fault.Type, "array %s is not an index coordinate: its dimensions are %q, want only %q", where(a.Path()), a.Dims(), a.Name())
	}
	return x, err
}

// Len returns the number of labels, which is the length of the dimension.
func (x *Index) Len() int {
	if x == nil || x.labels == nil {
		return 0
	}
	return x.labels.len()
}

// Positions returns the positions that q selects, in order. The dimension of q is used only in
// errors. one reports whether the dimension is dropped. q must not be a query of [Pointwise].
// Errors are those of [Dataset.Sel].
func (x *Index) Positions(q Query) (at []int, one bool, err error) {
	if x == nil || x.labels == nil {
		return nil, false, fault.Newf(fault.Selection, "the index has no labels")
	}
	if q.kind == byPoints {
		return nil, false, fault.Newf(fault.Selection, "points select along several dimensions")
	}
	c, err := q.choose(x.labels, x.Len())
	if err != nil {
		return nil, false, err
	}
	at = make([]int, c.len())
	for i := range at {
		at[i] = c.at(i)
	}
	return at, c.one, nil
}

// Label returns the i-th label, in a form that [Text] accepts and that selects the elements with
// this label: a number, true or false, a time in ISO 8601 with the digits of the finest label, a
// time difference such as 1 days 06:00:00, or a text. Missing values are NaN or NaT. Label returns
// "" if i is not a position of the index.
func (x *Index) Label(i int) string {
	if i < 0 || i >= x.Len() {
		return ""
	}
	return x.labels.text(i)
}

// Value returns the i-th label as an int64, a uint64, a float64, a bool, a cf.Time or a string. A
// time difference is a string, as Label returns it. Value returns nil if i is not a position of the
// index.
func (x *Index) Value(i int) any {
	if i < 0 || i >= x.Len() {
		return nil
	}
	if s, ok := x.labels.label(i).(span); ok {
		return s.String()
	}
	return x.labels.label(i)
}
