package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Rows are the rows that [Group.Append] appends to one array of the group. Write stores N rows, as
// for [Array.AppendFunc]. [RowsOf] makes Rows from values.
type Rows struct {
	Path  string // of the array, relative to the group
	N     int
	Write func(ctx context.Context, view *Array, from int) error

	// RowsOf sets count and write instead of N and Write. count returns the number of rows.
	count func(a *Array, axis int) (int, error)
	write func(ctx context.Context, view *Array, where Selection) error
}

// RowsOf returns rows for the array at a path relative to the group. values are in C order, as for
// [Append].
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

// fit returns the axis of the array a that is named dim, and the number of rows to append along it.
func (r Rows) fit(a *Array, dim string) (axis, n int, err error) {
	if axis, err = a.axisOf(dim); err == nil {
		err = a.growable(axis)
	}
	switch n = r.N; {
	case err != nil:
	case r.count != nil:
		n, err = r.count(a, axis)
	case n < 0 || r.Write == nil:
		err = fault.Newf(fault.Selection, "the Rows of %q must set Write and an N of at least 0; N is %d, Write is nil: %v", r.Path, n, r.Write == nil)
	}
	return axis, n, err
}

// Append extends several arrays of the group, such as data and its coordinates, by the same number
// of rows along the axes named dim. It returns the group with updated consolidated metadata, if
// any.
//
// Append updates the consolidated metadata last, with one write. A reader that opens the arrays
// through this metadata sees either the old lengths of all arrays or their new lengths. A reader
// that opens an array directly may see its new length before the others. No array grows before the
// rows of all arrays are stored. Append claims the group and its arrays as the function [Append]
// claims an array: meanwhile other appends fail with ErrConflict, or wait.
//
// After an error the arrays have their old lengths, unless the error says that some have grown. A
// killed process may also leave arrays that have grown. The group then accepts only an Append of
// the same rows with TakeOver, which completes the unfinished append. Its AppendOptions.At must be
// the old number of rows. Arrays that are opened through the group still have the old length.
//
// The rows must include all arrays in the group's consolidated metadata that have the dimension.
// All arrays must have the same length along the dimension. Otherwise Append returns ErrSelection.
// Append does not update the consolidated metadata of groups above.
func (g *Group) Append(ctx context.Context, dim string, o AppendOptions, rows ...Rows) (*Group, error) {
	of, err := g.rows(dim, rows)
	if err != nil {
		return nil, g.errf(err)
	}
	out, err := grow.Group{Node: g.at, Options: g.cfg.Options}.Append(ctx, dim, of, o.grow())
	if err != nil {
		return nil, g.errf(err)
	}
	out.Cfg = g.cfg.Stored()
	return &Group{nodeOf(out, g.cfg)}, nil
}

// rows validates rows and converts them for package grow.
func (g *Group) rows(dim string, rows []Rows) ([]grow.Rows, error) {
	if len(rows) == 0 {
		return nil, fault.Newf(fault.Selection, "no Rows were passed")
	}
	of, seen := make([]grow.Rows, len(rows)), map[string]bool{}
	for i, r := range rows {
		p, err := meta.NormalizePath(r.Path)
		if err != nil {
			return nil, err
		}
		path := join(g.Path(), p)
		if seen[path] {
			return nil, fault.Newf(fault.Selection, "more than one Rows has the path %q", path)
		}
		seen[path] = true
		of[i] = grow.Rows{
			Path: path,
			Fit:  func(a *array.Array) (axis, n int, err error) { return r.fit(makeArray(a, g.cfg), dim) },
			Write: func(ctx context.Context, of *array.Array, from int) error {
				view := makeArray(of, g.cfg)
				if r.write != nil {
					return r.write(ctx, view, Dim(dim, Range(from, End)))
				}
				return r.Write(ctx, view, from)
			},
		}
	}
	return of, nil
}
