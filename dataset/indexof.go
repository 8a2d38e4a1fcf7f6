package dataset

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Index finds the labels of one index coordinate without opening the dataset. It is immutable and
// safe for concurrent use.
type Index struct {
	labels index
	single bool // labels are float32
}

// OpenIndex reads the values of an index coordinate. Only these reads send requests. The values
// stay in memory.
//
// The error is fault.Type if the array is not an index coordinate: it must have one dimension with
// the name of the array, and a type that can be decoded to numbers, times or texts. OpenIndex also
// returns the errors of [zarr.Read].
func OpenIndex(ctx context.Context, a *zarr.Array, o Options) (*Index, error) {
	d := &Dataset{options: o, vars: map[string]*stored{}}
	d.add(a)
	if err := d.decode(a.Name(), nil, o); err != nil {
		return nil, err
	}
	d.characters()
	s := d.vars[a.Name()]
	if !s.indexes(a.Name()) {
		return nil, fault.Newf(fault.Type, "array %q is not an index coordinate: its dimensions are %q, want only %q", a.Path(), s.dims, a.Name())
	}
	x, err := (&Variable{d, a.Name(), s}).index(ctx)
	if err != nil {
		return nil, err
	}
	return &Index{x, a.DType() == dtype.Type(dtype.Float32)}, nil
}

// Len returns the number of labels, which is the length of the dimension.
func (x *Index) Len() int { return x.labels.len() }

// Positions returns the positions that q selects, in order. The dimension of q is used only in
// errors. one reports whether the dimension is dropped. q must not be a query of [Pointwise].
// Errors are those of [Dataset.Sel].
func (x *Index) Positions(q Query) (at []int, one bool, err error) {
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

// Label returns the i-th label, in a form that [Text] accepts: a number, a time in ISO 8601, or a
// text. Missing values are NaN or NaT.
func (x *Index) Label(i int) string {
	label := x.labels.label(i)
	if f, ok := label.(float64); ok && x.single {
		label = float32(f)
	}
	return fmt.Sprint(label)
}
