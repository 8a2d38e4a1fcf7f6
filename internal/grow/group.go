package grow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/arrayspec"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Group is what an append needs of a group. Package zarr makes it.
type Group struct {
	At *document.Node
	// Stored reads the group again, as it is stored.
	Stored func(ctx context.Context) (*document.Source, error)
	// Open opens an array at a path below the store's root, as it is stored.
	Open func(ctx context.Context, path string) (Array, error)
}

// Rows are what an append adds to one array of a group.
type Rows struct {
	Path string // below the store's root
	// Fit returns the axis along which the array gets longer, and the number of rows.
	Fit   func(a Array) (axis, n int, err error)
	Write Write
}

// group is the document of the group in an append.
type group struct {
	Group
	*document.Source // of the group, as it was read
	dim              string
	old              claim.Claim          // that is taken over
	copies           map[string]meta.Node // consolidated metadata, by path below the group
	copy             document.Stored      // in v2: .zmetadata, which has copies
	held             *document.Held       // nil: the group is not claimed
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

// Append appends rows to arrays of the group along the axes of the name dim, and returns the
// document of the group that has its claim, as it is then. Rows are written again where the append
// waits for others, or begins again.
func (g Group) Append(ctx context.Context, dim string, rows []Rows, o Options) (doc document.Stored, err error) {
	err = o.waiting(ctx, g.At, func() (again bool, err error) {
		doc, err = g.once(ctx, dim, rows, o)
		var half *halfAppended
		return !errors.As(err, &half), err
	})
	return doc, err
}

// once is one try. It reads the group; what it decides by the group holds only as long as the
// group's document is that text, byte for byte.
func (g Group) once(ctx context.Context, dim string, rows []Rows, o Options) (doc document.Stored, err error) {
	s, err := g.Stored(ctx)
	if err != nil {
		return doc, err
	}
	of := &group{Group: g, Source: s, dim: dim}
	if of.old, err = document.ClaimIn(s.Attrs); err != nil {
		return doc, err
	}
	if of.copies, err = of.copied(ctx); err != nil {
		return doc, err
	}
	w := &appending{o: o, group: of}
	n, err := w.open(ctx, rows)
	if err != nil {
		return doc, err
	}
	if err := w.decide(n); err != nil {
		return doc, err
	}
	if err := o.mayBegin(w.from, func() error { return of.unchanged(ctx) }); err != nil {
		return doc, err
	}
	if n == 0 {
		return s.Attrs, nil
	}
	if err := of.complete(w.members); err != nil {
		return doc, err
	}
	if err := w.run(ctx); err != nil {
		return doc, err
	}
	return of.held.Doc(), nil
}

// open opens the arrays, and returns the number of rows for each.
func (w *appending) open(ctx context.Context, rows []Rows) (int, error) {
	w.members = make([]member, len(rows))
	err := concurrency.EachN(ctx, len(rows), len(rows), func(ctx context.Context, i int) (err error) {
		w.members[i].array, err = w.group.Open(ctx, rows[i].Path)
		return err
	})
	if err != nil {
		return 0, err
	}
	count := -1
	for i, r := range rows {
		m := &w.members[i]
		axis, n, err := r.Fit(m.array)
		if err != nil {
			return 0, err
		}
		if count >= 0 && n != count {
			return 0, fault.Newf(fault.Selection, "%d rows for %q and %d for %q", count, rows[0].Path, n, r.Path)
		}
		count, m.axis, m.write = n, axis, r.Write
	}
	return count, nil
}

// decide finds out where count rows go, by the lengths of the arrays and the claim in the group.
//
// If that claim is of an append which no array shows, or which all of them show also to who opens
// them through the group, the rows are new ones. Otherwise they complete that append.
func (w *appending) decide(count int) error {
	old, first := w.group.old, w.members[0].extent()
	longest, same := first, true
	for i := range w.members {
		n := w.members[i].extent()
		same = same && n == first
		longest = max(longest, n)
	}
	if same && (!old.Reached(longest) || w.group.shows(w.members, longest)) {
		w.from, w.to = longest, longest+count
		return nil
	}
	for i := range w.members {
		m := &w.members[i]
		n, want := m.extent(), first
		if old.Reached(longest) {
			if want = longest; n == old.From {
				continue
			}
		}
		if n != want {
			return fault.Newf(fault.Conflict, "%q has %d rows along %q, not %d", m.array.Source().At.Path, n, w.group.dim, want)
		}
	}
	w.from, w.to = old.From, longest
	if old.Dim != w.group.dim || count != w.to-w.from {
		return fault.Newf(fault.Conflict, "%v is to be completed first, with its rows", old)
	}
	return nil
}

// shows reports whether all arrays have n rows for who opens them through the group.
func (g *group) shows(members []member, n int) bool {
	for i := range members {
		m := &members[i]
		is := m.extent()
		if c, ok := g.copies[g.below(m.array)].(*meta.Array); ok && m.axis < len(c.Shape) {
			is = c.Shape[m.axis]
		}
		if is != n {
			return false
		}
	}
	return true
}

// below returns the path of an array below the group.
func (g *group) below(a Array) string {
	return strings.TrimPrefix(a.Source().At.Path[len(g.Source.At.Path):], "/")
}

// unchanged checks that the group is as it was read.
func (g *group) unchanged(ctx context.Context) error {
	s, err := g.Stored(ctx)
	if err == nil && !same(s.Attrs, g.Attrs) {
		err = errAgain
	}
	return err
}

// same reports whether two documents are the same, byte for byte.
func same(a, b document.Stored) bool { return a.There() == b.There() && bytes.Equal(a.Bytes, b.Bytes) }

// complete checks that the rows are for all arrays of the consolidated metadata that have the
// dimension.
func (g *group) complete(members []member) error {
	for _, path := range slices.Sorted(maps.Keys(g.copies)) {
		m, ok := g.copies[path].(*meta.Array)
		if !ok {
			continue
		}
		dims := m.Dims
		if dims == nil {
			dims = arrayspec.Dims(m.Attrs, len(m.Shape))
		}
		if !slices.Contains(dims, g.dim) {
			continue
		}
		given := func(m member) bool { return g.below(m.array) == path }
		if !slices.ContainsFunc(members, given) {
			return fault.Newf(fault.Selection, "%q has the dimension %q too, and no rows are given for it", document.Join(g.Source.At.Path, path), g.dim)
		}
	}
	return nil
}

// claim claims the group for c, if it is as it was read.
func (g *group) claim(ctx context.Context, c claim.Claim, over document.TakeOver) (err error) {
	c.Dim = g.dim
	if g.old.Under() && g.old.From == c.From {
		c = c.After(g.old)
	}
	g.held, err = g.Source.At.Hold(ctx, g.Attrs, over, func(t document.Text) (document.Change, error) {
		if !same(t.Stored, g.Attrs) {
			return document.Change{}, errAgain
		}
		var err error
		if g.old.Reached(c.From) { // that append stored all of its rows, and may report success
			t.Record, err = document.RecordIn(t.Stored)
		}
		return document.Change{Claim: c, Record: t.Record}, err
	})
	return err
}

// taken returns the IDs of the claims on arrays that go with those that were taken over in the
// group. A process that took one over may have ended before it claimed the arrays, so that they have
// the claim of an earlier one.
func (g *group) taken() []string {
	if !g.old.Under() {
		return nil
	}
	return append(slices.Clone(g.held.Record().Taken), g.old.ID)
}

// release ends the claim on the group after an error, unless arrays are longer, or may be, by an
// append that was taken over. dropped reports whether its claims on arrays are gone.
func (g *group) release(ctx context.Context, w *appending, dropped bool) {
	if !g.old.Under() {
		_ = g.held.GiveUp(ctx, false) // it can be taken over else
		return
	}
	longest, err := w.reached(ctx)
	switch {
	case err != nil || !dropped: // then it is not known
	case longest == w.from, longest == w.to && g.completed(ctx, w.members, longest):
		_ = g.held.GiveUp(ctx, false)
	case longest != w.to:
		c := g.held.Claim()
		c.To, c.Ends, c.Since = longest, nil, g.old.Since
		_ = g.held.Commit(ctx, document.Change{Claim: c, Record: g.held.Record()})
	}
}

// reached opens the arrays as they are stored, and returns the length of the longest.
func (w *appending) reached(ctx context.Context) (int, error) {
	longest := 0
	for i := range w.members {
		b, err := w.members[i].array.Reopen(ctx)
		if err != nil {
			return 0, err
		}
		if axis := w.members[i].axis; axis < len(shapeOf(b)) {
			w.members[i].array = b
			longest = max(longest, extentOf(b, axis))
		}
	}
	return longest, nil
}
