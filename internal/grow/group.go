package grow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Group is an opened group whose arrays are extended.
type Group struct {
	Node    *node.Node
	Options array.Options // of its arrays
}

// Rows describes the rows that an append adds to one array of a group.
type Rows struct {
	Path string // relative to the store's root
	// Fit returns the axis along which the append extends the array, and the number of rows.
	Fit   func(a *array.Array) (axis, n int, err error)
	Write Write
}

// group is the group of an append in progress.
type group struct {
	*node.Node      // the group as first read
	handed     bool // the group and its arrays may be as they were read before the append
	options    array.Options
	dim        string
	old        claim.Claim  // the claim in the group that this append takes over
	copies     *meta.Copies // consolidated metadata, by path below the group
	copy       node.Stored  // in v2: the .zmetadata that contains copies
	held       *node.Held   // nil before the group is claimed
}

// halfAppended is the error of an append that must be completed: it extended some but not all
// arrays of a group, or did not update the consolidated metadata.
type halfAppended struct {
	longer, all int
	from        int // first row
	err         error
}

func (e *halfAppended) Error() string {
	return fmt.Sprintf("%d of %d arrays are longer, and consolidated metadata as it was; append the same rows with TakeOver, and At=%d so that they are not appended twice: %v", e.longer, e.all, e.from, e.err)
}

func (e *halfAppended) Unwrap() error { return e.err }

// Append appends rows to arrays of the group along their axes named dim. It returns the group as
// stored after the append. If Append waits for another process or starts again, it writes the rows
// again.
//
// If the context has the nodes in a [node.Known], Append uses them for its first attempt, and
// replaces or forgets them. If that attempt fails before it writes rows, the documents may have
// changed since they were read, so Append begins again by stored documents.
func (g Group) Append(ctx context.Context, dim string, rows []Rows, o Options) (out *node.Node, err error) {
	known := node.KnownIn(ctx)
	handed := g.Node.Handed(ctx)
	if o.Over.May {
		handed = nil
	}
	var of *group
	var doc node.Stored // the document of the group after the append
	err = o.waiting(ctx, g.Node, func() (again bool, err error) {
		wrote := false
		if handed != nil {
			of, doc, wrote, err = g.once(ctx, handed, dim, rows, o)
			handed, wrote = nil, wrote || err != nil && !outdated(err)
		}
		if !wrote {
			of, doc, _, err = g.once(ctx, nil, dim, rows, o)
		}
		var half *halfAppended
		return !errors.As(err, &half), err
	})
	if err != nil {
		known.Forget()
		return nil, err
	}
	if out, err = of.Reparsed(doc); err != nil {
		return nil, err
	}
	known.Add(out)
	return out, nil
}

// outdated reports whether an error of an attempt may be the effect of documents that were changed
// after they were read. It is false for errors of requests.
func outdated(err error) bool {
	for _, kind := range []error{fault.Conflict, fault.Exists, fault.NotFound, fault.Selection, fault.Metadata, fault.Type, errors.ErrUnsupported} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// once makes one attempt. If handed is not nil, it uses the nodes that the context has. Its
// decisions depend on the group's document, and are valid only while the stored document equals,
// byte for byte, the document that once read.
//
// wrote reports that the rows may have been stored.
func (g Group) once(ctx context.Context, handed *node.Node, dim string, rows []Rows, o Options) (of *group, doc node.Stored, wrote bool, err error) {
	root := handed
	if root == nil {
		if root, err = g.Node.Again(ctx); err != nil {
			return nil, doc, false, err
		}
	}
	of = &group{Node: root, handed: handed != nil, options: g.Options, dim: dim}
	if of.old, err = node.ClaimIn(of.AttrsDoc); err != nil {
		return nil, doc, false, err
	}
	if of.copies, err = of.copied(ctx); err != nil {
		return nil, doc, false, err
	}
	w := &appending{o: o, group: of}
	n, err := w.open(ctx, rows)
	if err != nil {
		return nil, doc, false, err
	}
	if err := w.decide(n); err != nil {
		return nil, doc, false, err
	}
	if err := o.mayBegin(w.from, func() error { return of.unchanged(ctx) }); err != nil {
		return nil, doc, false, err
	}
	if n == 0 {
		return of, of.AttrsDoc, false, nil
	}
	if err := of.complete(ctx, w.members); err != nil {
		return nil, doc, false, err
	}
	if err := w.run(ctx); err != nil {
		return nil, doc, w.wrote, err
	}
	known := node.KnownIn(ctx)
	for _, m := range w.members {
		known.Add(m.array.At)
	}
	return of, of.held.Doc(), true, nil
}

// open opens the arrays. It returns the number of rows, which must be the same for all arrays.
func (w *appending) open(ctx context.Context, rows []Rows) (int, error) {
	w.members = make([]member, len(rows))
	err := concurrency.EachN(ctx, len(rows), len(rows), func(ctx context.Context, i int) (err error) {
		w.members[i].array, err = w.group.open(ctx, rows[i].Path)
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
			return 0, fault.Newf(fault.Selection, "all arrays must be extended by the same number of rows, have %d for %q and %d for %q", count, rows[0].Path, n, r.Path)
		}
		count, m.axis, m.write = n, axis, r.Write
	}
	return count, nil
}

// open opens an array by its own documents. path is relative to the store's root.
func (g *group) open(ctx context.Context, path string) (*array.Array, error) {
	at, err := g.OpenArray(ctx, path, g.handed)
	if err != nil {
		return nil, err
	}
	return array.New(at, g.options), nil
}

// decide sets the range of rows to write, from the lengths of the arrays and the claim in the
// group. count is the number of rows. The rows are new in two cases:
//
//   - No array contains rows of the claimed append.
//   - All arrays contain rows of the claimed append, and so do the arrays in the consolidated
//     metadata.
//
// Otherwise the rows must complete the claimed append. decide returns fault.Conflict if the number
// of rows or the dimension differs from that append, or if an array has another length.
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
			return fault.Newf(fault.Conflict, "%q must have %d rows along %q, but has %d", m.array.At.Path, want, w.group.dim, n)
		}
	}
	w.from, w.to = old.From, longest
	if old.Dim != w.group.dim || count != w.to-w.from {
		return fault.Newf(fault.Conflict, "%v is unfinished: append its %d rows along %q first, not %d along %q", old, w.to-w.from, old.Dim, count, w.group.dim)
	}
	return nil
}

// shows reports whether a reader that opens the arrays through the group finds n rows in each
// array.
func (g *group) shows(members []member, n int) bool {
	for i := range members {
		m := &members[i]
		is := m.extent()
		if c, ok := g.copies.Node(g.below(m.array.At)).(*meta.Array); ok && m.axis < len(c.Shape) {
			is = c.Shape[m.axis]
		}
		if is != n {
			return false
		}
	}
	return true
}

// below returns the path of an array relative to the group.
func (g *group) below(a *node.Node) string { return node.Below(g.Path, a.Path) }

// unchanged returns errChanged if the stored document of the group differs from the document that
// was read.
func (g *group) unchanged(ctx context.Context) error {
	if g.handed {
		return nil // once is called again, by stored documents
	}
	is, err := g.Again(ctx)
	if err == nil && !same(is.AttrsDoc, g.AttrsDoc) {
		err = errChanged
	}
	return err
}

// same reports whether two documents are equal byte for byte. Two absent documents are equal.
func same(a, b node.Stored) bool { return a.There() == b.There() && bytes.Equal(a.Bytes, b.Bytes) }

// complete returns fault.Selection if the consolidated metadata has an array with the dimension
// that is not in members. Such an array must be stored: the consolidated metadata may be stale.
func (g *group) complete(ctx context.Context, members []member) error {
	for _, path := range slices.Sorted(g.copies.Paths()) {
		m, ok := g.copies.Node(path).(*meta.Array)
		if !ok {
			continue
		}
		dims := m.Dims
		if dims == nil {
			dims = spec.Dims(m.Attrs, len(m.Shape))
		}
		if !slices.Contains(dims, g.dim) {
			continue
		}
		given := func(m member) bool { return g.below(m.array.At) == path }
		if !slices.ContainsFunc(members, given) {
			_, err := g.open(ctx, node.Join(g.Path, path))
			if errors.Is(err, fault.NotFound) {
				continue
			}
			return fault.Newf(fault.Selection, "%q also has dimension %q and needs rows", node.Join(g.Path, path), g.dim)
		}
	}
	return nil
}

// claim puts claim c in the group's document. It returns errChanged if another writer has changed
// the document since it was read.
func (g *group) claim(ctx context.Context, c claim.Claim, over node.TakeOver) (err error) {
	c.Dim, c.Pending = g.dim, true
	if g.old.Under() && g.old.From == c.From {
		c = c.After(g.old)
	}
	g.held, err = g.Hold(ctx, g.AttrsDoc, over, func(t node.Text) (node.Change, error) {
		if !same(t.Stored, g.AttrsDoc) {
			return node.Change{}, errChanged
		}
		var err error
		if g.old.Reached(c.From) {
			// The old append has stored all its rows and may still report success. Therefore its ID
			// is not recorded as taken over.
			t.Record, err = node.RecordIn(t.Stored)
		}
		return node.Change{Claim: c, Record: t.Record}, err
	})
	if err == nil {
		g.held.Keep(ctx)
	}
	return err
}

// hold records in the group's document that all arrays are claimed, so that the arrays may be
// extended. It runs while the rows are written, which concern only the claims of the arrays. It
// returns fault.Conflict if another append took over this append.
func (g *group) hold(ctx context.Context) error {
	c := g.held.Claim()
	c.Pending = false
	return g.held.Commit(ctx, node.Change{Claim: c, Record: g.held.Record()})
}

// taken returns the IDs of the claims that this append may take over or drop on arrays: the IDs of
// all claims on the group that were taken over. Earlier IDs are included, because a process may
// have taken over the claim on the group and ended before it claimed the arrays.
func (g *group) taken() []string {
	if !g.old.Under() {
		return nil
	}
	return append(slices.Clone(g.held.Record().Taken), g.old.ID)
}

// release ends the claim on the group after an error. It keeps the claim if this append took over
// another append that has extended arrays or may still extend them. dropped means that the other
// append has lost its claims on all arrays. release returns err, or an error that also describes a
// claim that could not be removed.
func (g *group) release(ctx context.Context, w *appending, dropped bool, err error) error {
	if !g.old.Under() {
		return giveUp(ctx, g.held, false, err) // on failure the claim remains and can be taken over
	}
	longest, unknown := w.reached(ctx)
	switch {
	case unknown != nil || !dropped: // the final lengths are unknown
	case longest == w.from, longest == w.to && g.completed(ctx, w.members, longest):
		return giveUp(ctx, g.held, false, err)
	case longest != w.to:
		c := g.held.Claim()
		c.To, c.Ends, c.Pending, c.Since, c.Renewed = longest, nil, false, g.old.Since, g.old.Renewed
		_ = g.held.Commit(ctx, node.Change{Claim: c, Record: g.held.Record()})
	}
	return err
}

// reached reopens the arrays and returns the length of the longest array.
func (w *appending) reached(ctx context.Context) (int, error) {
	longest := 0
	for i := range w.members {
		b, err := w.members[i].array.Refresh(ctx)
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
