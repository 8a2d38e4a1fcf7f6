package arrow

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Table is a view of the variables of a dataset that have one set of dimensions. Its rows are the
// elements, and its columns the coordinates and the variables. It is immutable and safe for
// concurrent use.
type Table struct {
	ds       *dataset.Dataset
	names    []string // variables and coordinates that are columns beside the labels of dimensions
	lead     string   // variable whose dimensions are those of the table, in order
	dims     []dataset.Dim
	rows     int64
	columns  []column
	schema   *arrow.Schema
	findings []rule.Finding
}

// Tables returns one table for each set of dimensions of the data variables, in the order of their
// first variables by name. It sends no request.
func Tables(ds *dataset.Dataset) ([]*Table, error) {
	var tables []*Table
	for _, g := range groups(ds) {
		t, err := g.table(ds)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// New returns the table of the data variables with the given dimensions, in any order. Without
// dimensions, the data variables must have one set of dimensions. It sends no request.
//
// The error is fault.NotFound if no variable has these dimensions, and fault.Selection if there are
// several sets and none is given. Its text lists the sets.
func New(ds *dataset.Dataset, dims ...string) (*Table, error) {
	all := groups(ds)
	if len(dims) == 0 && len(all) == 1 {
		return all[0].table(ds)
	}
	var have [][]string
	for _, g := range all {
		if sameSet(g.dims, dims) {
			return g.table(ds)
		}
		have = append(have, g.dims)
	}
	if len(dims) == 0 && len(all) > 1 {
		return nil, fault.Newf(fault.Selection, "the variables have several sets of dimensions: %v", have)
	}
	return nil, fault.Newf(fault.NotFound, "no data variable has the dimensions %q; there are %v", dims, have)
}

// build computes the dimensions and columns.
func (t *Table) build() (*Table, error) {
	lead, err := t.ds.Var(t.lead)
	if err != nil {
		return nil, err
	}
	t.dims, t.columns, t.findings, t.rows = lead.Dims(), nil, nil, 1
	for _, d := range t.dims {
		if d.Len > 0 && t.rows > math.MaxInt64/int64(d.Len) {
			return nil, fault.Newf(fault.Limit, "the table of %v has more than 2⁶³ rows", t.dims)
		}
		t.rows *= int64(d.Len)
		t.columns = append(t.columns, t.label(lead, d))
	}
	for _, name := range t.names {
		v, err := t.ds.Var(name)
		if err != nil {
			return nil, err
		}
		if len(v.Dims()) == 0 && len(t.dims) > 0 || t.find(name) >= 0 {
			continue // a selection dropped its dimensions, or the column has the labels of a dimension
		}
		c, err := t.column(v)
		if err != nil {
			t.findings = append(t.findings, rule.Finding{Rule: rule.Convention, Path: v.Array().Path(), Text: fmt.Sprintf("the table has no column %s: %v", name, err)})
			continue
		}
		t.columns = append(t.columns, c)
	}
	fields := make([]arrow.Field, len(t.columns))
	for i, c := range t.columns {
		fields[i] = c.field
	}
	t.schema = arrow.NewSchema(fields, nil)
	return t, nil
}

// Dims returns the dimensions of the table. Its coordinates are the first columns.
func (t *Table) Dims() []dataset.Dim { return slices.Clone(t.dims) }

// Count returns the number of rows: the product of the lengths of the dimensions. It sends no
// request.
func (t *Table) Count() int64 { return t.rows }

// Schema returns the names and types of the columns. It sends no request.
func (t *Table) Schema() *arrow.Schema { return t.schema }

// Findings describes the variables of the dataset that have the dimensions of the table and cannot
// be a column, such as those of complex numbers.
func (t *Table) Findings() []rule.Finding { return slices.Clone(t.findings) }

// Select returns the table with the given variables and coordinates, in this order, after those
// that name the dimensions. Other arrays are not read. The error is fault.NotFound for a name that
// is not a column of the table.
func (t *Table) Select(names ...string) (*Table, error) {
	next := *t
	next.names = nil
	for i, d := range t.dims { // columns also if a later selection combines dimensions
		if t.columns[i].array != nil {
			next.names = append(next.names, d.Name)
		}
	}
	for i, name := range names {
		switch {
		case t.find(name) < 0:
			return nil, t.lacks(name)
		case slices.Contains(names[:i], name):
			return nil, fault.Newf(fault.Selection, "column %q is selected twice", name)
		case !slices.Contains(next.names, name) && t.columns[t.find(name)].array != nil:
			next.names = append(next.names, name)
		}
	}
	return next.build()
}

// find returns the number of a column, or -1.
func (t *Table) find(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return c.field.Name == name })
}

// lacks returns the error for a column that the table does not have.
func (t *Table) lacks(name string) error {
	for _, f := range t.findings {
		if v, err := t.ds.Var(name); err == nil && v.Array().Path() == f.Path {
			return fault.Newf(fault.Type, "%s", f.Text)
		}
	}
	var have []string
	for _, c := range t.columns {
		have = append(have, c.field.Name)
	}
	return fault.Newf(fault.NotFound, "the table has no column %q; it has %q", name, have)
}

// Sel returns the rows that queries select, as dataset.Dataset.Sel does. It sends no request, and
// only chunks with selected rows are read later. A query that drops a dimension, such as an exact
// label, removes its column. With dataset.Pointwise, the labels are columns beside the number of
// the point.
func (t *Table) Sel(q ...dataset.Query) (*Table, error) {
	next := *t
	var err error
	if next.ds, err = t.ds.Sel(q...); err != nil {
		return nil, err
	}
	return next.build()
}

// Where returns the rows whose coordinate along a dimension is between two labels, including both.
// A nil label leaves that end open. It is Sel with dataset.Between.
func (t *Table) Where(dim string, lo, hi any) (*Table, error) {
	return t.Sel(dataset.Between(dim, lo, hi))
}
