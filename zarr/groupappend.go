package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Rows are what [Group.Append] appends to one array of the group: N rows that Write stores, as for
// [Array.AppendFunc]. [RowsOf] makes rows of values.
type Rows struct {
	Path  string // of the array, below the group
	N     int
	Write func(ctx context.Context, view *Array, from int) error

	// Of RowsOf, in place of N and Write:
	count func(a *Array, axis int) (int, error)
	write func(ctx context.Context, view *Array, where Selection) error
}

// RowsOf returns rows of the array at a path below the group: values in C order, as for [Append].
func RowsOf[T any](path string, values []T) Rows {
	return Rows{
		Path: path,
		count: func(a *Array, axis int) (int, error) {
			if _, err := regionOf[T](a, 0, along(axis, Range(0, 0))); err != nil {
				return 0, err
			}
			return a.rows(axis, len(values))
		},
		write: func(ctx context.Context, view *Array, where Selection) error {
			return Write(ctx, view, values, where)
		},
	}
}

// fit returns the axis of the name dim of an array, and the number of rows for it.
func (r Rows) fit(a *Array, dim string) (axis, n int, err error) {
	if axis, err = a.axisOf(dim); err == nil {
		err = a.growable(axis)
	}
	switch n = r.N; {
	case err != nil:
	case r.count != nil:
		n, err = r.count(a, axis)
	case n < 0 || r.Write == nil:
		err = fault.Newf(fault.Selection, "%d rows for %q, with a function to write them: %v", n, r.Path, r.Write != nil)
	}
	return axis, n, err
}

// Append extends several arrays of the group along the axes of the name dim by the same number of
// rows: data and its coordinates. It returns the group with its consolidated metadata, if it has
// any, brought up to date.
//
// Consolidated metadata changes last, with one write. Who opens the arrays through it sees all of
// them at their old length or all at their new length. Who opens an array by itself may see it
// longer before the others. Append claims the group and its arrays as [Append] claims an array:
// meanwhile other appends fail with ErrConflict, or wait. No array gets longer before the rows of
// all of them are stored.
//
// After an error the arrays are as long as they were, unless the error says that some are longer. A
// killed process may leave such arrays too. An Append of the same rows with TakeOver then completes
// what that process began, and is the only Append that the group takes. The arrays that are opened
// through the group have the number of rows after which new rows are due; see At in AppendOptions.
// All arrays of the group's consolidated metadata that have the dimension must be among the rows,
// and the arrays must be of one length (ErrSelection). Append changes the group's own consolidated
// metadata, and none that groups above it have.
func (g *Group) Append(ctx context.Context, dim string, o AppendOptions, rows ...Rows) (*Group, error) {
	of, err := g.rows(dim, rows)
	if err != nil {
		return nil, g.errf(err)
	}
	var root *hierarchy.Node // the group as it is stored
	in := grow.Group{
		At: g.at.Docs(),
		Stored: func(ctx context.Context) (s *document.Source, err error) {
			if root, err = g.at.Again(ctx); err != nil {
				return nil, err
			}
			return root.Source(), nil
		},
		Open: func(ctx context.Context, path string) (grow.Array, error) {
			at := &hierarchy.Node{Store: root.Store, Path: path, Cfg: root.Cfg}
			a, err := at.OpenStored(ctx, document.Array)
			if err != nil {
				return nil, err
			}
			return growing{made(a, g.cfg).(*Array)}, nil
		},
	}
	doc, err := in.Append(ctx, dim, of, o.grow())
	if err != nil {
		return nil, g.errf(err)
	}
	out, err := root.Reparsed(doc)
	if err != nil {
		return nil, g.errf(err)
	}
	out.Cfg = g.cfg.Stored()
	return &Group{nodeOf(out, g.cfg)}, nil
}

// rows checks rows for arrays of the group, as package grow takes them.
func (g *Group) rows(dim string, rows []Rows) ([]grow.Rows, error) {
	if len(rows) == 0 {
		return nil, fault.Newf(fault.Selection, "no rows")
	}
	of, seen := make([]grow.Rows, len(rows)), map[string]bool{}
	for i, r := range rows {
		p, err := meta.NormalizePath(r.Path)
		if err != nil {
			return nil, err
		}
		path := join(g.Path(), p)
		if seen[path] {
			return nil, fault.Newf(fault.Selection, "two lots of rows for %q", path)
		}
		seen[path] = true
		of[i] = grow.Rows{
			Path: path,
			Fit:  func(a grow.Array) (axis, n int, err error) { return r.fit(viewed(a), dim) },
			Write: func(ctx context.Context, view grow.Array, from int) error {
				if r.write != nil {
					return r.write(ctx, viewed(view), Dim(dim, Range(from, End)))
				}
				return r.Write(ctx, viewed(view), from)
			},
		}
	}
	return of, nil
}
