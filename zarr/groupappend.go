package zarr

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"github.com/zargo-io/zargo/internal/arrayspec"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
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
	var out *Group
	err := g.waiting(ctx, func() (err error) {
		out, err = g.appendSoon(ctx, dim, rows)
		return err
	})
	if err != nil {
		return nil, g.errf(err)
	}
	out.cfg = g.cfg.stored()
	return out, nil
}

// errAgain says that the group or an array changed after it was read, so that what was decided by
// it does not hold: the append begins again.
var errAgain = fault.Newf(fault.Conflict, "the group changed meanwhile")

// maxAgain bounds how often an append begins again. Each time another process changed the group.
const maxAgain = 100

// appendSoon tries Append, again where the group changed while it was looked at.
func (g *Group) appendSoon(ctx context.Context, dim string, rows []Rows) (out *Group, err error) {
	for try := 1; ; try++ {
		root, err := g.stored(ctx)
		if err == nil {
			out, err = root.append(ctx, dim, rows)
		}
		if !errors.Is(err, errAgain) || try == maxAgain {
			return out, err
		}
		g.docs().Conflict()
		if err := concurrency.Sleep(ctx, rand.N(time.Duration(try)*2*time.Millisecond)); err != nil {
			return nil, err
		}
	}
}

// groupGrowth is an append to arrays of a group in progress.
type groupGrowth struct {
	g        *Group // as it is stored
	dim      string
	arrays   []*Array
	rows     []Rows
	axes     []int
	from, to int
	old      claim.Claim          // that is taken over
	copies   map[string]meta.Node // consolidated metadata, by path below the group
	held     *document.Held       // the group
	growths  []*growth            // the arrays; nil: not claimed
}

// append is one try of Append, of a group that was just read. What it decides by the group holds
// only as long as the group's document is that text, byte for byte.
func (g *Group) append(ctx context.Context, dim string, rows []Rows) (*Group, error) {
	if len(rows) == 0 {
		return nil, fault.Newf(fault.Selection, "no rows")
	}
	w := &groupGrowth{g: g, dim: dim, rows: rows, copies: g.meta.Consolidated}
	var err error
	if w.old, err = document.ClaimIn(g.attrsDoc); err != nil {
		return nil, err
	}
	if g.format == 2 {
		if _, w.copies, err = w.copyV2(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.open(ctx); err != nil {
		return nil, err
	}
	if w.from == w.to {
		return g, nil
	}
	if err := w.complete(dim); err != nil {
		return nil, err
	}
	if err := w.claim(ctx); err != nil {
		return nil, w.release(ctx, err)
	}
	if err := w.write(ctx); err != nil {
		return nil, w.release(ctx, err)
	}
	if err := w.commit(ctx); err != nil {
		return nil, err
	}
	return g.reparsed(w.held.Doc())
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

// open opens the arrays, and finds out which rows are to be appended.
func (w *groupGrowth) open(ctx context.Context) error {
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
		w.axes[i], err = w.arrays[i].axisOf(w.dim)
		return err
	})
	if err != nil {
		return err
	}
	count := -1
	for i, a := range w.arrays {
		if err := a.growable(w.axes[i]); err != nil {
			return err
		}
		n, err := w.rows[i].count(a, w.axes[i])
		if err != nil {
			return err
		}
		if count >= 0 && n != count {
			return fault.Newf(fault.Selection, "%d rows for %q and %d for %q", count, w.arrays[0].path, n, a.path)
		}
		count = n
	}
	if err := w.decide(count); err != nil {
		return err
	}
	return w.g.cfg.mayBegin(w.from, func() error { return w.unchanged(ctx) })
}

// decide finds out where count rows go, by the lengths of the arrays and the claim in the group.
//
// Where that claim was of an append which no array shows, or which all of them show to who opens
// them through the group too, the rows are new ones. Otherwise they complete that append.
func (w *groupGrowth) decide(count int) error {
	old, longer := w.old, w.extent(0)
	same := true
	for i := range w.arrays {
		same = same && w.extent(i) == w.extent(0)
		longer = max(longer, w.extent(i))
	}
	if same && (!old.Reached(longer) || w.seen(longer)) {
		w.from, w.to = longer, longer+count
		return nil
	}
	for i, a := range w.arrays {
		n, want := w.extent(i), w.extent(0)
		if old.Reached(longer) {
			if want = longer; n == old.From {
				continue
			}
		}
		if n != want {
			return fault.Newf(fault.Conflict, "%q has %d rows along %q, not %d", a.path, n, w.dim, want)
		}
	}
	w.from, w.to = old.From, longer
	if old.Dim != w.dim || count != w.to-w.from {
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

// unchanged makes sure that the group is as it was read.
func (w *groupGrowth) unchanged(ctx context.Context) error {
	root, err := w.g.stored(ctx)
	if err == nil && !same(root.attrsDoc, w.g.attrsDoc) {
		err = errAgain
	}
	return err
}

// same reports whether two documents are the same, byte for byte.
func same(a, b document.Stored) bool { return a.There() == b.There() && bytes.Equal(a.Bytes, b.Bytes) }

// extent is how long the i-th array is.
func (w *groupGrowth) extent(i int) int { return w.arrays[i].meta.Shape[w.axes[i]] }

// complete makes sure that no array of the consolidated metadata which has the dimension is left
// out.
func (w *groupGrowth) complete(dim string) error {
	for _, path := range slices.Sorted(maps.Keys(w.copies)) {
		m, ok := w.copies[path].(*meta.Array)
		if !ok {
			continue
		}
		dims := m.Dims
		if dims == nil {
			dims = arrayspec.Dims(m.Attrs, len(m.Shape))
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

// claim claims the group, and then the arrays, all with one ID. An append that is taken over has
// the claim of neither any more, so that what the arrays show of it is final.
func (w *groupGrowth) claim(ctx context.Context) (err error) {
	c := claim.New(claim.Append)
	c.Dim, c.From, c.To = w.dim, w.from, w.to
	if w.old.Under() && w.old.From == w.from {
		c = c.After(w.old)
	}
	w.held, err = w.g.docs().Hold(ctx, w.g.attrsDoc, w.g.cfg.over, func(t document.Text) (document.Change, error) {
		if !same(t.Stored, w.g.attrsDoc) {
			return document.Change{}, errAgain
		}
		var err error
		if w.old.Reached(w.from) { // the append has done what it began, and may report so
			t.Record, err = document.RecordIn(t.Stored)
		}
		return document.Change{Claim: c, Record: t.Record}, err
	})
	if err != nil {
		return err
	}
	over := w.g.cfg.over
	over.ID = w.old.ID
	w.growths = make([]*growth, len(w.arrays))
	err = concurrency.EachN(ctx, len(w.arrays), len(w.arrays), func(ctx context.Context, i int) (err error) {
		one := c
		one.Dim, one.Ends, one.Axis = "", nil, w.axes[i]
		w.growths[i], err = w.arrays[i].growBy(ctx, one, over, errAgain)
		return err
	})
	if err != nil {
		return err
	}
	return w.held.Check(ctx)
}

// write stores the rows of each array. An array that has them already, of an append that did not
// complete, gets them again: who reads the group by its consolidated metadata does not see them.
func (w *groupGrowth) write(ctx context.Context) error {
	return concurrency.EachN(ctx, len(w.rows), len(w.rows), func(ctx context.Context, i int) (err error) {
		b, err := w.growths[i].view(w.to - w.extent(i))
		if err == nil {
			err = w.rows[i].write(ctx, b, w.axes[i], w.from)
		}
		return err
	})
}

// release ends the claims after an error before the first commit. That on the group stays where
// some arrays are longer by an append that was taken over, as it has to be completed, or may get so
// still.
func (w *groupGrowth) release(ctx context.Context, err error) error {
	if w.held == nil {
		return err
	}
	ctx, cancel := document.Detached(ctx)
	defer cancel()
	failed := make([]error, len(w.arrays))
	_ = concurrency.EachN(ctx, len(w.arrays), len(w.arrays), func(ctx context.Context, i int) error {
		if w.growths != nil && w.growths[i] != nil {
			w.growths[i].giveUp(ctx)
		} else if w.old.Under() {
			failed[i] = w.arrays[i].dropClaim(ctx, w.old.ID)
		}
		return nil
	})
	if !w.old.Under() {
		_ = w.held.GiveUp(ctx, false) // else it can be taken over
		return err
	}
	longer, is := w.reached(ctx)
	switch {
	case cmp.Or(failed...) != nil || is != nil: // then it is not known
	case longer == w.from:
		_ = w.held.GiveUp(ctx, false)
	case longer != w.to:
		c := w.held.Claim()
		c.To, c.Ends, c.Since = longer, nil, w.old.Since
		_ = w.held.Commit(ctx, document.Change{Claim: c, Record: w.held.Record()})
	}
	return err
}

// reached is how long the longest of the arrays is.
func (w *groupGrowth) reached(ctx context.Context) (int, error) {
	longest := 0
	for i, a := range w.arrays {
		b, err := a.Refresh(ctx)
		if err != nil {
			return 0, err
		}
		if w.axes[i] < len(b.meta.Shape) {
			longest = max(longest, b.meta.Shape[w.axes[i]])
		}
	}
	return longest, nil
}

// commit makes the arrays longer, all rows of which are stored, and then brings the group up to
// date. From the first array on it is completed, also where ctx ends.
func (w *groupGrowth) commit(ctx context.Context) error {
	errs := make([]error, len(w.growths))
	_ = concurrency.EachN(context.WithoutCancel(ctx), len(w.growths), len(w.growths), func(_ context.Context, i int) error {
		g := w.growths[i]
		a, err := g.commit(ctx, w.to-w.extent(i), 0)
		if errs[i] = err; err == nil {
			w.arrays[i] = a
		}
		return nil
	})
	longer, known := 0, true
	for i, err := range errs {
		if w.extent(i) == w.to {
			longer++
		}
		known = known && (err == nil || errors.Is(err, fault.Conflict))
	}
	if err := cmp.Or(errs...); err != nil {
		if longer == 0 && known {
			return w.release(ctx, err)
		}
		return &halfAppended{longer, len(w.arrays), err}
	}
	if err := w.finish(ctx); err != nil {
		return &halfAppended{longer, len(w.arrays), err}
	}
	return nil
}

// finish brings the group's consolidated metadata up to date, in v3 with the write that ends the
// claim.
func (w *groupGrowth) finish(ctx context.Context) error {
	if w.g.format == 2 {
		return w.finishV2(ctx)
	}
	nodes := map[string][]byte{}
	for _, a := range w.arrays {
		doc, err := source(a).StrictV3()
		if err != nil {
			return err
		}
		nodes[below(w.g.path, a.path)] = doc
	}
	return w.held.CommitBy(ctx, func(d document.Stored) (document.Change, error) {
		const member = "consolidated_metadata"
		c := document.Change{Record: w.held.Record()}
		if raw, err := meta.Member(d.Key, d.Bytes, member); err != nil || raw == nil || bytes.Equal(raw, []byte("null")) {
			return c, err
		}
		doc, err := meta.SpliceV3(d.Key, d.Bytes, nodes)
		if err != nil {
			return c, err
		}
		raw, err := meta.Member(d.Key, doc, member)
		c.Edits = document.Edits{member: raw}
		return c, err
	})
}

// finishV2 changes the group's .zmetadata while the claim is held, and ends the claim.
func (w *groupGrowth) finishV2(ctx context.Context) error {
	err := w.splicing(ctx)
	if err != nil && !errors.Is(err, fault.Conflict) {
		over, cancel := document.Detached(ctx)
		defer cancel()
		if again := w.splicing(over); again == nil || errors.Is(again, fault.Conflict) {
			ctx, err = over, again
		}
	}
	switch {
	case errors.Is(err, document.ErrEnded):
		return nil // another process found all arrays longer, and .zmetadata
	case err != nil:
		return err
	}
	return w.held.GiveUp(ctx, false)
}

// splicing is spliceV2, again as long as others change .zmetadata.
func (w *groupGrowth) splicing(ctx context.Context) error {
	for try := 1; ; try++ {
		if err := w.held.Check(ctx); err != nil {
			return err
		}
		err := w.spliceV2(ctx)
		if !errors.Is(err, fault.Conflict) || try == maxSplices {
			return err
		}
		w.g.docs().Conflict()
	}
}

// maxSplices bounds how often consolidated metadata is changed again, each time because another
// writer changed it.
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
