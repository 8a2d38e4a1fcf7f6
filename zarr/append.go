package zarr

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Append makes the array longer along an axis and writes src behind what is there; src has the
// elements in C order, a whole number of rows: of what the array has at one index of the axis. It
// returns the array with its new shape; a stays as it was. T is as for [Read].
//
// Others see the new shape only once all chunks are stored, so a reader never sees a hole. One
// append at a time changes an array: it claims the rows first, in the array's document. Another
// writer that appends or resizes meanwhile gets ErrConflict and has changed nothing, as does one
// that appends to an array which grew since it was opened (see [Array.Refresh], and [Wait] for an
// Append that does so by itself). The claim of a process that was killed stays, and readers are not
// disturbed by it; [TakeOver] takes its place. After an error the shape is what it was.
//
// A chunk that is there in part, or the shard that has it, is read and written again, on condition
// that it is what was read; the report counts these (Rewritten). For rows that come a few at a time
// use a [Writer]. Requests besides those of the chunks: 2 for the document, and one for each chunk
// that is there in part. The array needs a store with conditional writes, or [SingleWriter].
// ErrSelection where a rectilinear grid does not reach so far.
func Append[T any](ctx context.Context, a *Array, axis int, src []T) (*Array, error) {
	if err := a.growable(axis); err != nil {
		return nil, a.errf(err)
	}
	if _, err := regionOf[T](a, 0, along(axis, Range(0, 0))); err != nil {
		return nil, err
	}
	return a.append(ctx, axis, len(src), func(ctx context.Context, b *Array, from int) error {
		return Write(ctx, b, src, behind(axis, from)...)
	})
}

// AppendBytes is [Append] of elements in memory form (see package dtype), for any data type whose
// elements have one size.
func (a *Array) AppendBytes(ctx context.Context, axis int, src []byte) (*Array, error) {
	size := a.meta.DType.Size()
	if size == 0 || len(src)%size != 0 {
		return nil, a.errf(fault.Newf(fault.Selection, "%d bytes are no whole number of elements of %v", len(src), a.meta.DType))
	}
	return a.append(ctx, axis, len(src)/size, func(ctx context.Context, b *Array, from int) error {
		return b.WriteBytes(ctx, src, behind(axis, from)...)
	})
}

// AppendItems is [Append] of elements that vary in length, see [Array.WriteItems].
func (a *Array) AppendItems(ctx context.Context, axis int, src [][]byte) (*Array, error) {
	if err := a.areItems(src); err != nil {
		return nil, a.errf(err)
	}
	return a.append(ctx, axis, len(src), func(ctx context.Context, b *Array, from int) error {
		return b.WriteItems(ctx, src, behind(axis, from)...)
	})
}

// AppendBy is [Append] of n rows that write writes, in whatever parts: to a view of the array that
// has them, where they begin at from. Parts that are no whole chunks are read and written again.
// write is called once more where the options have Append wait for others, and must not keep the
// view.
func (a *Array) AppendBy(ctx context.Context, axis, n int, write func(ctx context.Context, b *Array, from int) error) (*Array, error) {
	if err := a.growable(axis); err != nil {
		return nil, a.errf(err)
	}
	if n < 0 {
		return nil, a.errf(fault.Newf(fault.Selection, "%d rows", n))
	}
	return a.appendN(ctx, axis, n, write)
}

// append appends so many elements, which write writes to an array that is long enough.
func (a *Array) append(ctx context.Context, axis, elements int, write func(context.Context, *Array, int) error) (*Array, error) {
	n, err := a.rows(axis, elements)
	if err != nil {
		return nil, err
	}
	return a.appendN(ctx, axis, n, write)
}

func (a *Array) appendN(ctx context.Context, axis, n int, write func(context.Context, *Array, int) error) (*Array, error) {
	if n == 0 {
		return a, nil
	}
	var out *Array
	err := a.waiting(ctx, func(b *Array) (err error) {
		out, err = b.appendRows(ctx, axis, n, func(c *Array) error { return write(ctx, c, b.meta.Shape[axis]) })
		return err
	})
	return out, err
}

// waiting tries something with the array and, as long as others are changing its shape and the
// options have it wait for them, with the array as it is by then.
func (a *Array) waiting(ctx context.Context, try func(*Array) error) error {
	b := a
	return a.node.waiting(ctx, func() (err error) {
		if b == nil {
			if b, err = a.Refresh(ctx); err != nil {
				return err
			}
		}
		err = try(b)
		b = nil
		return err
	})
}

// rows is how many rows so many elements are.
func (a *Array) rows(axis, elements int) (int, error) {
	if err := a.growable(axis); err != nil {
		return 0, a.errf(err)
	}
	row := a.row(axis)
	if elements > 0 && (row == 0 || elements%row != 0) {
		return 0, a.errf(fault.Newf(fault.Selection, "%d elements are no whole number of rows of %d", elements, row))
	}
	if elements == 0 {
		return 0, nil
	}
	return elements / row, nil
}

// row is how many elements there are at one index of an axis.
func (a *Array) row(axis int) int {
	n := 1
	for i, d := range a.meta.Shape {
		if i != axis {
			n *= d
		}
	}
	return n
}

// growable refuses what does not get longer along an axis.
func (a *Array) growable(axis int) error {
	if err := a.hasShape(); err != nil {
		return err
	}
	if axis < 0 || axis >= len(a.meta.Shape) {
		return fault.Newf(fault.Selection, "axis %d of an array with %d axes", axis, len(a.meta.Shape))
	}
	return nil
}

// appendRows is one try of append.
func (a *Array) appendRows(ctx context.Context, axis, n int, write func(*Array) error) (*Array, error) {
	g, err := a.grow(ctx, axis, n)
	if err != nil {
		return nil, a.errf(err)
	}
	b, err := g.view(n)
	if err == nil {
		err = write(b)
	}
	if err != nil {
		g.giveUp(ctx)
		return nil, err
	}
	out, err := g.commit(ctx, n, 0)
	if err != nil {
		g.giveUp(ctx)
		return nil, a.errf(err)
	}
	return out, nil
}

// growth is an append in progress: rows of an array are claimed.
type growth struct {
	a     *Array // as it is stored
	axis  int
	held  *document.Held
	wrote bool // objects may have been put
}

// grow claims n rows after those of the array.
func (a *Array) grow(ctx context.Context, axis, n int) (*growth, error) {
	a, err := a.fromDocuments(ctx)
	if err != nil {
		return nil, err
	}
	from := a.meta.Shape[axis]
	if err := a.cfg.mayBegin(from, func() error { return a.isLong(ctx, axis) }); err != nil {
		return nil, err
	}
	c := claim.New(claim.Append)
	c.Axis, c.From, c.To = axis, from, from+n
	return a.growBy(ctx, c, a.cfg.over, nil)
}

// growBy claims rows of the array, which c says, also where the array has them. changed is the
// error of an array that is stored with another shape by now; nil: one that says so.
func (a *Array) growBy(ctx context.Context, c claim.Claim, over document.TakeOver, changed error) (*growth, error) {
	if _, err := a.long(c.Axis, max(0, c.To-a.meta.Shape[c.Axis])); err != nil {
		return nil, err
	}
	held, err := a.docs().Hold(ctx, a.doc, over, func(t document.Text) (document.Change, error) {
		err := t.As(a.doc)
		if errors.Is(err, fault.Conflict) {
			err = cmp.Or(changed, err)
		}
		return document.Change{Claim: c, Record: t.Record}, err
	})
	if err != nil {
		return nil, err
	}
	return &growth{a: a, axis: c.Axis, held: held}, nil
}

// dropClaim takes the claim of an ID out of the array's document, if it is there.
func (a *Array) dropClaim(ctx context.Context, id string) error {
	err := a.docs().Drop(ctx, a.doc, id)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// mayBegin checks what AppendAt demands of an append that would begin at a row. longer makes sure
// that more rows are there.
func (c *config) mayBegin(from int, longer func() error) error {
	switch {
	case c.at < 0 || c.at == from:
		return nil
	case c.at > from:
		return fault.Newf(fault.Conflict, "there are %d rows, not %d", from, c.at)
	}
	if err := longer(); err != nil {
		return err
	}
	return fault.Newf(fault.Exists, "there are %d rows, not %d", from, c.at)
}

// isLong makes sure that the array is as long along an axis as the options say at least, and a row
// more.
func (a *Array) isLong(ctx context.Context, axis int) error {
	b, err := a.Refresh(ctx)
	if err != nil {
		return err
	}
	if axis >= len(b.meta.Shape) || b.meta.Shape[axis] <= a.cfg.at {
		return fault.Newf(fault.Conflict, "the array has the shape %v by now; see Refresh", b.meta.Shape)
	}
	return nil
}

// fromDocuments is the array with its documents: one that was not opened from them reads them, and
// makes sure that they say the same.
func (a *Array) fromDocuments(ctx context.Context) (*Array, error) {
	if a.from == fromStore {
		return a, nil
	}
	n := a.node
	if err := n.reload(ctx, a.shared.copied); err != nil {
		return nil, err
	}
	return a.changed(n, a.meta), nil
}

// long is the array with n more rows, which are not stored.
func (a *Array) long(axis, n int) (*Array, error) {
	shape := a.Shape()
	shape[axis] += n
	return a.shaped(shape)
}

// shaped is the array with another shape, which is not stored. ErrSelection: it cannot have it.
func (a *Array) shaped(shape []int) (*Array, error) {
	for _, n := range shape {
		if n < 0 || int64(n) > maxExtent {
			return nil, fault.Newf(fault.Selection, "no array has the shape %v", shape)
		}
	}
	edits, err := shapeEdits(shape)
	if err != nil {
		return nil, err
	}
	doc := a.doc
	if doc.Bytes, err = meta.Edit(doc.Key, doc.Bytes, edits); err != nil {
		return nil, err
	}
	b, err := a.reparsed(doc)
	if err != nil {
		err = fault.Newf(fault.Selection, "the array cannot have the shape %v: %w", shape, err)
	}
	return b, err
}

// shapeEdits change the shape in a document.
func shapeEdits(shape []int) (document.Edits, error) {
	raw, err := json.Marshal(shape)
	return document.Edits{"shape": raw}, err
}

// reparsed is the array as another text of its document has it.
func (a *Array) reparsed(doc document.Stored) (*Array, error) {
	docs := document.Docs{{Name: doc.Key[strings.LastIndexByte(doc.Key, '/')+1:], Bytes: doc.Bytes, Version: doc.Version}}
	if d := a.attrsDoc; d.Key != doc.Key && d.There() {
		docs = append(docs, document.Doc{Name: document.ZAttrs, Bytes: d.Bytes, Version: d.Version})
	}
	n := node{st: a.st, path: a.path, cfg: a.cfg.stored()}
	found, err := n.parse(docs.Set())
	if err != nil {
		return nil, err
	}
	b := found.(*Array)
	if b.format == 2 {
		b.attrsDoc = a.attrsDoc // also where there is none, or it was refused
	}
	return b, nil
}

// maxExtent is the longest that JSON numbers which are read as doubles can say.
const maxExtent = 1<<53 - 1

// view is an array with n more rows, to write claimed ones with.
func (g *growth) view(n int) (*Array, error) {
	b, err := g.a.long(g.axis, n)
	if err == nil {
		where := claim.Whole(b.meta.Shape)
		where.Lo[g.axis] = g.held.Claim().From
		b, err = b.guarded(g.held, where)
	}
	if err != nil {
		return nil, g.a.errf(err)
	}
	g.wrote = true
	return b, nil
}

// guarded is an array that is not stored yet, to write elements of a box with while its document is
// held. Where a request of a change that was given up may still arrive, all chunks are stored, also
// those of fill values only: its condition, that the key is absent, then fails.
func (a *Array) guarded(held *document.Held, where claim.Box) (*Array, error) {
	if !a.cfg.storeFill && held.Record().Touches(a.aligned(where)) {
		var err error
		if a, err = a.With(StoreFill()); err != nil {
			return nil, err
		}
	}
	a.shared.confirmed.Store(true)
	a.cfg.guard = held.Check // also of views of it
	a.engine.Options.Guard = a.cfg.guard
	return a, nil
}

// commit gives the array n more rows and, unless it is 0, claims next rows after them.
func (g *growth) commit(ctx context.Context, n, next int) (*Array, error) {
	was := g.a
	shape := was.Shape()
	shape[g.axis] += n
	c := document.Change{Record: g.held.Record().Written(shape)}
	if next > 0 {
		c.Claim = g.held.Claim()
		c.Claim.From, c.Claim.To = shape[g.axis], shape[g.axis]+next
	}
	var err error
	if c.Edits, err = shapeEdits(shape); err != nil {
		return nil, err
	}
	if err := g.held.Commit(ctx, c); err != nil {
		return nil, err
	}
	a, err := was.reparsed(g.held.Doc())
	if err != nil {
		return nil, err
	}
	g.a, g.wrote = a, false
	return a, nil
}

// giveUp takes the claim back after an error, also after one of a context that ended: the next
// writer need not wait.
func (g *growth) giveUp(ctx context.Context) {
	ctx, cancel := document.Detached(ctx)
	defer cancel()
	_ = g.held.GiveUp(ctx, g.wrote) // else it can be taken over
}

// behind selects the rows from one on.
func behind(axis, from int) []Selection { return along(axis, Range(from, End)) }

// along selects along the axis of a number.
func along(axis int, s Selection) []Selection {
	sel := make([]Selection, axis+1)
	for i := range axis {
		sel[i] = All
	}
	sel[axis] = s
	return sel
}

// hasShape refuses what has no shape of its own to change.
func (a *Array) hasShape() error {
	if err := a.writable(); err != nil {
		return err
	}
	if a.field != nil {
		return fault.Newf(errors.ErrUnsupported, "the shape of a view of a field is that of its array")
	}
	return nil
}
