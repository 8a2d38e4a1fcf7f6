package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/arrayspec"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Rows are what [Group.Append] appends to one array of the group. They are made by [RowsOf] and
// [RowsBy].
type Rows struct {
	path  string
	count func(a *Array, axis int) (int, error)
	write func(ctx context.Context, a *Array, axis, from int) error
}

// RowsOf are rows of the array at a path below the group: values in C order, as for [Append].
func RowsOf[T any](path string, values []T) Rows {
	return Rows{
		path: path,
		count: func(a *Array, axis int) (int, error) {
			if _, err := regionOf[T](a, 0, along(axis, Range(0, 0))); err != nil {
				return 0, err
			}
			return a.rows(axis, len(values))
		},
		write: func(ctx context.Context, a *Array, axis, from int) error {
			return Write(ctx, a, values, along(axis, Range(from, from+len(values)/a.row(axis)))...)
		},
	}
}

// RowsBy are n rows that write writes, as for [Array.AppendBy].
func RowsBy(path string, n int, write func(ctx context.Context, a *Array, from int) error) Rows {
	return Rows{
		path: path,
		count: func(*Array, int) (int, error) {
			if n < 0 {
				return 0, fault.Newf(fault.Selection, "%d rows", n)
			}
			return n, nil
		},
		write: func(ctx context.Context, a *Array, _, from int) error { return write(ctx, a, from) },
	}
}

// Append makes several arrays of the group longer along the axes that have the name dim, by the
// same number of rows: data and the coordinates that belong to it. It returns the group with its
// consolidated metadata, if it has any, brought up to date.
//
// Consolidated metadata changes last, with one write, so who opens the arrays through it sees all
// of them at their old length or all at their new one. Who opens an array by itself may see it
// longer before the others. The group and its arrays are claimed meanwhile as an array is by
// [Append]: others who append get ErrConflict, see [Wait]. No array gets longer before the rows of
// all of them are stored.
//
// After an error the arrays are as long as they were, unless the error says that some are longer.
// A process that is killed may leave such arrays too. Append of the same rows with [TakeOver] then
// completes what it began, and is the only Append that the group takes. Which rows are due next is
// what arrays opened through the group say; see [AppendAt]. All arrays of the group's consolidated
// metadata that have the dimension must be among the rows, and the arrays must be of one length
// (ErrSelection). The group's own consolidated metadata is changed, none that groups above it have.
func (g *Group) Append(ctx context.Context, dim string, rows ...Rows) (*Group, error) {
	of, err := g.rows(dim, rows)
	if err != nil {
		return nil, g.errf(err)
	}
	var root *Group // as it is stored
	in := grow.Group{
		At: g.docs(),
		Stored: func(ctx context.Context) (s *document.Source, err error) {
			if root, err = g.stored(ctx); err != nil {
				return nil, err
			}
			return root.Source(), nil
		},
		Open: func(ctx context.Context, path string) (grow.Array, error) {
			a, err := openStored(ctx, root.st, path, root.cfg, document.Array)
			if err != nil {
				return nil, err
			}
			return growing{a.(*Array)}, nil
		},
		Dims: func(m *meta.Array) []string {
			if m.Dims != nil {
				return m.Dims
			}
			return arrayspec.Dims(m.Attrs, len(m.Shape))
		},
	}
	doc, err := in.Append(ctx, dim, of, g.growth())
	if err != nil {
		return nil, g.errf(err)
	}
	out, err := root.reparsed(doc)
	if err != nil {
		return nil, g.errf(err)
	}
	out.cfg = g.cfg.stored()
	return out, nil
}

// rows checks rows for arrays of the group, as package grow takes them.
func (g *Group) rows(dim string, rows []Rows) ([]grow.Rows, error) {
	if len(rows) == 0 {
		return nil, fault.Newf(fault.Selection, "no rows")
	}
	of, seen := make([]grow.Rows, len(rows)), map[string]bool{}
	for i, r := range rows {
		p, err := meta.NormalizePath(r.path)
		if err != nil {
			return nil, err
		}
		path := join(g.path, p)
		if seen[path] {
			return nil, fault.Newf(fault.Selection, "two lots of rows for %q", path)
		}
		seen[path] = true
		of[i] = grow.Rows{
			Path: path,
			Fit: func(a grow.Array) (axis, n int, err error) {
				b := viewed(a)
				if axis, err = b.axisOf(dim); err != nil {
					return 0, 0, err
				}
				if err = b.growable(axis); err != nil {
					return 0, 0, err
				}
				n, err = r.count(b, axis)
				return axis, n, err
			},
			Write: func(ctx context.Context, view grow.Array, axis, from int) error {
				return r.write(ctx, viewed(view), axis, from)
			},
		}
	}
	return of, nil
}

// reparsed is the group with another text of the document that has its claim.
func (g *Group) reparsed(doc document.Stored) (*Group, error) {
	if g.format == 2 {
		b := *g
		b.attrsDoc, b.lazy = doc, &lazyCopy{}
		attrs, err := g.parser().AttrsV2(doc.Key, doc.Bytes)
		b.attrs = attrs
		return &b, err
	}
	n := node{st: g.st, path: g.path, cfg: g.cfg}
	docs := document.Docs{{Name: document.ZarrJSON, Bytes: doc.Bytes, Version: doc.Version}}
	found, err := n.parse(docs.Set())
	if err != nil {
		return nil, err
	}
	return found.(*Group), nil
}
