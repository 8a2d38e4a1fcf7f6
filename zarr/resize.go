package zarr

import (
	"context"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ResizeOptions say what becomes of values outside the new shape. The zero value deletes chunks
// that lie wholly outside it, and in a sharded array shards; a chunk that the shape ends within
// stays as it is, so that an array that grows again has its values again.
type ResizeOptions struct {
	// MetadataOnly changes the shape and deletes nothing: all values are there again should the
	// array grow again. Only what changes that were given up left where the array grows becomes the
	// fill value.
	MetadataOnly bool
	// Clear sets what lies outside the shape within chunks to the fill value too. They are read and
	// written again.
	Clear bool
}

// Resize gives the array another shape of the same rank, and returns the array with it; a stays as
// it was. Elements that come in are the fill value, or what an earlier shape left there; see
// ResizeOptions for those that go out.
//
// The shape changes first, on condition that no one else changed the array since it was opened
// (ErrConflict), then chunks are deleted: their keys in batches or, where there are more than some
// thousand, those that are listed. An array that loses chunks is claimed meanwhile as by [Append].
// After an error of a delete the shape is the new one, and the next Append or Resize deals with
// what is left. ErrSelection where a rectilinear grid does not reach so far.
func (a *Array) Resize(ctx context.Context, shape []int, o ResizeOptions) (*Array, error) {
	if err := a.hasShape(); err != nil {
		return nil, a.errf(err)
	}
	if len(shape) != len(a.meta.Shape) {
		return nil, a.errf(fault.Newf(fault.Selection, "shape %v of an array with %d axes", shape, len(a.meta.Shape)))
	}
	out, err := a.resize(ctx, slices.Clone(shape), o)
	if err != nil {
		return nil, a.errf(err)
	}
	return out, nil
}

func (a *Array) resize(ctx context.Context, shape []int, o ResizeOptions) (*Array, error) {
	a, err := a.fromDocuments(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := a.shaped(shape); err != nil {
		return nil, err
	}
	r := a.resizing(shape, o)
	r.held, err = a.docs().Hold(ctx, a.doc, a.cfg.over, func(t document.Text) (document.Change, error) {
		if err := t.As(a.doc); err != nil {
			return document.Change{}, err
		}
		return r.begin(t.Record)
	})
	if err != nil {
		return nil, err
	}
	if !r.held.Claim().Under() {
		return a.reparsed(r.held.Doc())
	}
	err = r.clean(ctx)
	if err == nil {
		err = r.commit(ctx)
	}
	if err != nil {
		(&growth{held: r.held, wrote: true}).giveUp(ctx)
		return nil, err
	}
	return a.reparsed(r.held.Doc())
}

// resizing is a change of the shape.
type resizing struct {
	a       *Array // as it is stored
	id      claim.Claim
	shape   []int
	base    []int // what stays, while the change is in progress
	deletes bool  // chunks outside base
	clears  bool  // what is outside base within chunks
	held    *document.Held
	record  claim.Record // by which it began
}

func (a *Array) resizing(shape []int, o ResizeOptions) *resizing {
	r := &resizing{a: a, id: claim.New(claim.Resize), shape: shape, base: a.Shape()}
	low := a.Shape() // what stays
	for i, n := range shape {
		low[i] = min(low[i], n)
	}
	if !o.MetadataOnly && !slices.Equal(low, r.base) {
		r.base, r.deletes, r.clears = low, true, o.Clear
	}
	return r
}

// begin decides how the shape changes in a document that has a record: at once or, where objects
// have to be deleted or written first, under a claim.
func (r *resizing) begin(record claim.Record) (c document.Change, err error) {
	r.record = record
	c.Record = record
	if !r.deletes && !r.showsPast() && len(r.left()) == 0 {
		c.Edits, err = shapeEdits(r.shape)
		return c, err
	}
	c.Claim = r.id
	if r.deletes {
		c.Claim.Was = r.a.Shape()
	}
	if r.deletes || r.showsPast() {
		c.Record = record.Deleted(r.base)
		r.record = c.Record
	}
	c.Edits, err = shapeEdits(r.base)
	return c, err
}

// showsPast reports whether elements come in that an earlier shape may have left there.
func (r *resizing) showsPast() bool {
	if r.record.Past == nil {
		return false
	}
	past, ok := claim.Whole(r.record.Past).And(claim.Whole(r.shape))
	return ok && len(past.Outside(r.base)) > 0
}

// left are the boxes of elements that come in and may have values of changes that were given up.
func (r *resizing) left() (boxes []claim.Box) {
	for _, b := range r.record.Left {
		if b, ok := b.And(claim.Whole(r.shape)); ok {
			boxes = append(boxes, b.Outside(r.base)...)
		}
	}
	return boxes
}

// clean deletes and clears what is outside the base, and stores fill values where changes that were
// given up may have put others, or may still put some.
func (r *resizing) clean(ctx context.Context) error {
	if r.deletes || r.showsPast() {
		if err := r.delete(ctx); err != nil {
			return err
		}
	}
	b, err := r.a.shaped(r.shape)
	if err != nil {
		return err
	}
	left := r.left()
	if n := b.objectsIn(left); n > maxFilled {
		return fault.Newf(fault.Limit, "changes that were given up left %.0f objects to be replaced, more than %d", n, maxFilled)
	}
	for _, box := range left {
		c, err := b.guarded(r.held, box)
		if err == nil {
			err = c.clear(ctx, box.Lo, box.Hi)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxFilled is how many objects a Resize replaces by fill values, as many as it deletes by their
// names: a record in a document may say anything.
const maxFilled = 10_000_000

// objectsIn is how many objects have elements of some boxes.
func (a *Array) objectsIn(boxes []claim.Box) (sum float64) {
	for _, b := range boxes {
		n := 1.0
		for i, lo := range b.Lo {
			first, _, _ := a.ChunkAt(i, lo)
			last, _, _ := a.ChunkAt(i, b.Hi[i]-1)
			n *= float64(last - first + 1)
		}
		sum += n
	}
	return sum
}

// commit changes the shape.
func (r *resizing) commit(ctx context.Context) error {
	edits, err := shapeEdits(r.shape)
	if err != nil {
		return err
	}
	record := r.held.Record()
	if r.deletes || r.showsPast() {
		record.Past = nil
	}
	return r.held.Commit(ctx, document.Change{Edits: edits, Record: record.Written(r.shape)})
}

// delete deletes the objects outside the base, and sets what is outside of it in others to the fill
// value along axes that are to be cleared, or whose chunks may have values of an earlier shape.
func (r *resizing) delete(ctx context.Context) error {
	past := r.record.Past
	far, ends := make([]int, len(r.base)), make([]int, len(r.base)) // ends of the chunks that the base ends within
	was := r.a.meta.Shape
	for i, n := range r.base {
		if ends[i] = n; n > 0 {
			_, start, length := r.a.ChunkAt(i, n-1)
			ends[i] = start + length
		}
		far[i] = max(was[i], ends[i])
		if past != nil {
			far[i] = max(far[i], past[i])
		}
	}
	b, err := r.a.shaped(far)
	if err != nil {
		return err
	}
	if b, err = b.guarded(r.held, claim.Whole(far)); err != nil {
		return err
	}
	rank := len(r.base)
	err = b.engine.DeleteOutside(ctx, r.base, func(key string) ([]int, bool) { return b.meta.Keys.Parse(key, rank) })
	if err != nil {
		return err
	}
	for axis, n := range r.base {
		edge := r.clears && n < was[axis] || past != nil && n < past[axis]
		if n == ends[axis] || !edge {
			continue
		}
		from, to := make([]int, rank), slices.Clone(ends)
		from[axis] = n
		if err := b.clear(ctx, from, to); err != nil {
			return err
		}
	}
	return nil
}

// clear sets a region to the fill value, object by object, where there are objects.
func (a *Array) clear(ctx context.Context, from, to []int) error {
	return concurrency.Each(ctx, maxCleared, a.boxes(from, to), func(ctx context.Context, sel []Selection) error {
		n := 1
		for _, s := range sel {
			n *= s.(Slice).hi - s.(Slice).lo
		}
		if a.meta.DType.Size() == 0 {
			return a.WriteItems(ctx, slices.Repeat([][]byte{a.meta.Fill}, n), sel...)
		}
		fill := a.meta.Fill
		if fill == nil {
			fill = make([]byte, a.meta.DType.Size())
		}
		return a.WriteBytes(ctx, slices.Repeat(fill, n), sel...)
	})
}

// maxCleared is how many objects are cleared at once: each takes the memory of its part.
const maxCleared = 4

// boxes yields what a region has of each object.
func (a *Array) boxes(from, to []int) iter.Seq[[]Selection] {
	return func(yield func([]Selection) bool) {
		sel := make([]Selection, len(from))
		var along func(axis int) bool
		along = func(axis int) bool {
			if axis == len(from) {
				return yield(slices.Clone(sel))
			}
			for at := from[axis]; at < to[axis]; {
				_, start, length := a.ChunkAt(axis, at)
				end := min(start+length, to[axis])
				sel[axis] = Range(at, end)
				if !along(axis + 1) {
					return false
				}
				at = end
			}
			return true
		}
		along(0)
	}
}
