package zarr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Rows are what [Group.Append] appends to one array of the group. They are made by [RowsOf] and [RowsBy].
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

// Append makes several arrays of the group longer along the axes that have the name dim, by the same number of rows: data and the
// coordinates that belong to it. It returns the group with its consolidated metadata, if it has any, brought up to date.
//
// Consolidated metadata changes last, with one write, so who opens the arrays through it sees all of them at their old length or all at
// their new one. Who opens an array by itself may see it longer before the others. The group is claimed meanwhile as an array is by
// [Append]: others who append to it get ErrConflict, see [Wait].
//
// A process that is killed may leave arrays of different lengths. Append of the same rows with [TakeOver] then completes what it began, and is the
// only Append that the group takes; so does one after an error that says so. Which rows are due next is what arrays opened through the group say. All arrays of the group's consolidated metadata that have the dimension must be among the rows, and the
// arrays must be of one length (ErrSelection). The group's own consolidated metadata is changed, none that groups above it have.
func (g *Group) Append(ctx context.Context, dim string, rows ...Rows) (*Group, error) {
	var out Node
	err := g.waiting(ctx, func() error {
		root, err := g.stored(ctx)
		if err == nil {
			err = root.append(ctx, dim, rows)
		}
		return err
	})
	if err == nil {
		out, err = openStored(ctx, g.st, g.path, g.cfg.stored(), document.Group)
	}
	if err != nil {
		return nil, g.errf(err)
	}
	return out.(*Group), nil
}

// groupGrowth is an append to arrays of a group under way.
type groupGrowth struct {
	g        *Group // as it is stored
	arrays   []*Array
	rows     []Rows
	axes     []int
	from, to int
	copies   map[string]meta.Node // consolidated metadata, by path below the group
	held     *document.Held
}

// append is one try of Append, of a group that was just read.
func (g *Group) append(ctx context.Context, dim string, rows []Rows) error {
	if len(rows) == 0 {
		return fault.Newf(fault.Selection, "no rows")
	}
	old, err := document.ClaimIn(g.attrsDoc)
	if err != nil {
		return err
	}
	w := &groupGrowth{g: g, rows: rows, copies: g.meta.Consolidated}
	if g.format == 2 {
		if _, w.copies, err = w.copyV2(ctx); err != nil {
			return err
		}
	}
	if err := w.open(ctx, dim, old); err != nil || w.from == w.to {
		return err
	}
	if err := w.complete(dim); err != nil {
		return err
	}
	c := claim.New(claim.Append)
	c.Dim, c.From, c.To = dim, w.from, w.to
	if w.held, err = g.docs().Hold(ctx, g.attrsDoc, 0, c, nil, g.cfg.over); err != nil {
		return err
	}
	if err := w.write(ctx); err != nil {
		return w.failed(ctx, err)
	}
	return w.finish(ctx)
}

// open opens the arrays, and finds out what is to be appended; old is the claim in the group.
func (w *groupGrowth) open(ctx context.Context, dim string, old claim.Claim) error {
	w.arrays, w.axes = make([]*Array, len(w.rows)), make([]int, len(w.rows))
	seen := map[string]bool{}
	for _, r := range w.rows {
		n, err := w.g.child(r.path)
		if err != nil {
			return err
		}
		if seen[n.path] {
			return fault.Newf(fault.Selection, "two lots of rows for %q", n.path)
		}
		seen[n.path] = true
	}
	err := concurrency.EachN(ctx, len(w.rows), len(w.rows), func(ctx context.Context, i int) error {
		n, err := w.g.child(w.rows[i].path)
		if err != nil {
			return err
		}
		found, err := openStored(ctx, n.st, n.path, n.cfg, document.Array)
		if err != nil {
			return err
		}
		w.arrays[i] = found.(*Array)
		w.axes[i], err = w.arrays[i].axisOf(dim)
		return err
	})
	if err != nil {
		return err
	}
	count := -1
	for i, a := range w.arrays {
		n, err := w.rows[i].count(a, w.axes[i])
		if err != nil {
			return err
		}
		if count >= 0 && n != count {
			return fault.Newf(fault.Selection, "%d rows for %q and %d for %q", count, w.arrays[0].path, n, a.path)
		}
		count = n
	}
	w.from = w.extent(0)
	if old.Under() && !w.seen(old.To) {
		w.from = old.From
	} else {
		old = claim.Claim{} // all is there, and the record alone is left
	}
	w.to = w.from + count
	for i, a := range w.arrays {
		if n := w.extent(i); n != w.from && !(old.Under() && n == w.to) {
			return fault.Newf(fault.Conflict, "%q has %d rows along %q, not %d", a.path, n, dim, w.from)
		}
	}
	if old.Under() && (old.Dim != dim || old.To != w.to) {
		return fault.Newf(fault.Conflict, "%v is to be completed first, with its rows", old)
	}
	return nil
}

// seen reports whether all arrays have so many rows for who opens them through the group.
func (w *groupGrowth) seen(n int) bool {
	for i, a := range w.arrays {
		is := w.extent(i)
		if m, ok := w.copies[below(w.g.path, a.path)].(*meta.Array); ok && w.axes[i] < len(m.Shape) {
			is = m.Shape[w.axes[i]]
		}
		if is != n {
			return false
		}
	}
	return true
}

// extent is how long the i-th array is.
func (w *groupGrowth) extent(i int) int { return w.arrays[i].meta.Shape[w.axes[i]] }

// complete makes sure that no array of the consolidated metadata which has the dimension is left out.
func (w *groupGrowth) complete(dim string) error {
	for _, path := range slices.Sorted(maps.Keys(w.copies)) {
		m, ok := w.copies[path].(*meta.Array)
		if !ok {
			continue
		}
		dims := m.Dims
		if dims == nil {
			dims = xarrayDims(m.Attrs, len(m.Shape))
		}
		given := func(a *Array) bool { return a.path == join(w.g.path, path) }
		if slices.Contains(dims, dim) && !slices.ContainsFunc(w.arrays, given) {
			return fault.Newf(fault.Selection, "%q has the dimension %q too, and no rows are given for it", join(w.g.path, path), dim)
		}
	}
	return nil
}

// copyV2 reads the group's .zmetadata, if there is one.
func (w *groupGrowth) copyV2(ctx context.Context) (document.Stored, map[string]meta.Node, error) {
	d := document.Stored{Key: w.g.docs().Key(document.ZMetadata)}
	v, err := w.g.docs().Get(ctx, document.ZMetadata)
	if errors.Is(err, fault.NotFound) {
		return d, nil, nil
	}
	if err != nil {
		return d, nil, err
	}
	d.Bytes, d.Version = v.Bytes, v.Version
	nodes, err := w.g.parser().ConsolidatedV2(d.Key, d.Bytes)
	return d, nodes, err
}

// write appends the rows to each array. What an array has already, of a try that did not complete, is written again: who reads the group
// by its consolidated metadata does not see it yet.
func (w *groupGrowth) write(ctx context.Context) error {
	return concurrency.EachN(ctx, len(w.rows), len(w.rows), func(ctx context.Context, i int) (err error) {
		a, axis := w.arrays[i], w.axes[i]
		write := func(b *Array) error { return w.rows[i].write(ctx, b, axis, w.from) }
		if w.extent(i) == w.to {
			return write(a)
		}
		b, err := a.appendRows(ctx, axis, w.to-w.from, write)
		if err == nil {
			w.arrays[i] = b
		}
		return err
	})
}

// failed ends the claim where no array is longer; otherwise the append is to be completed.
func (w *groupGrowth) failed(ctx context.Context, err error) error {
	longer := 0
	for i := range w.arrays {
		if w.extent(i) == w.to {
			longer++
		}
	}
	if longer == 0 {
		(&growth{held: w.held}).giveUp(ctx)
		return err
	}
	return &halfAppended{longer, len(w.arrays), err}
}

// halfAppended is the error of an append that some arrays of a group have and others not.
type halfAppended struct {
	longer, all int
	err         error
}

func (e *halfAppended) Error() string {
	return fmt.Sprintf("%d of %d arrays are longer, and consolidated metadata as it was; append the same rows with TakeOver to complete it: %v", e.longer, e.all, e.err)
}

func (e *halfAppended) Unwrap() error { return e.err }

// finish brings the group's consolidated metadata up to date, in v3 with the write that ends the claim.
func (w *groupGrowth) finish(ctx context.Context) error {
	if w.g.format == 3 {
		nodes := map[string][]byte{}
		for _, a := range w.arrays {
			doc, err := source(a).StrictV3()
			if err != nil {
				return err
			}
			nodes[below(w.g.path, a.path)] = doc
		}
		return w.held.CommitBy(ctx, func(d document.Stored) (document.Edits, error) {
			const member = "consolidated_metadata"
			if raw, err := meta.Member(d.Key, d.Bytes, member); err != nil || raw == nil || bytes.Equal(raw, []byte("null")) {
				return nil, err
			}
			doc, err := meta.SpliceV3(d.Key, d.Bytes, nodes)
			if err != nil {
				return nil, err
			}
			raw, err := meta.Member(d.Key, doc, member)
			return document.Edits{member: raw}, err
		}, claim.Claim{})
	}
	for try := 1; ; try++ {
		err := w.spliceV2(ctx)
		if err == nil {
			return w.held.Commit(ctx, nil, claim.Claim{})
		}
		if !errors.Is(err, fault.Conflict) || try == maxSplices {
			return err
		}
		w.g.docs().Conflict()
	}
}

// maxSplices bounds how often consolidated metadata is changed again, each time because another writer changed it.
const maxSplices = 1000

// spliceV2 changes the group's .zmetadata, if there is one.
func (w *groupGrowth) spliceV2(ctx context.Context) error {
	d, _, err := w.copyV2(ctx)
	if err != nil || !d.There() {
		return err
	}
	docs := map[string][]byte{}
	for _, a := range w.arrays {
		name, doc, _, err := source(a).StrictV2()
		if err != nil {
			return err
		}
		docs[join(below(w.g.path, a.path), name)] = doc
	}
	doc, err := meta.SpliceV2(d.Key, d.Bytes, docs)
	if err != nil {
		return err
	}
	_, err = w.g.docs().Swap(ctx, d, doc, "consolidated metadata cannot be changed")
	return err
}
