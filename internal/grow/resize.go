package grow

import (
	"context"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Outside says what a resize does with elements outside the new shape.
type Outside struct {
	Keep  bool // do not delete objects
	Clear bool // unless Keep is set, set elements outside the shape to the fill value in objects that remain
}

// Resize changes the shape of an array to one of the same rank, and returns the array with the new
// shape. Resize waits up to o.Wait for changes in progress. If such a change sets another shape,
// Resize returns fault.Conflict, because the caller chose the new shape for the old shape.
func Resize(ctx context.Context, a *array.Array, shape []int, outside Outside, o Options) (out *array.Array, err error) {
	err = o.retrying(ctx, a, func(b *array.Array) (bool, error) {
		if is := shapeOf(b); !slices.Equal(is, shapeOf(a)) {
			return false, fault.Newf(fault.Conflict, "the array was resized concurrently to shape %v; see Refresh", is)
		}
		var err error
		out, err = resize(ctx, b, shape, outside, o)
		return true, err
	})
	if err != nil {
		return nil, a.Errorf(err)
	}
	return out, nil
}

func resize(ctx context.Context, a *array.Array, shape []int, outside Outside, o Options) (*array.Array, error) {
	a, err := a.Stored(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := shaped(a, shape); err != nil {
		return nil, err
	}
	r := newResizing(a, shape, outside)
	r.held, err = a.At.Hold(ctx, a.At.Doc, o.Over, func(t node.Text) (node.Change, error) {
		if err := t.As(a.At.Doc); err != nil {
			return node.Change{}, err
		}
		return r.begin(t.Record)
	})
	if err != nil {
		return nil, err
	}
	if !r.held.Claim().Under() {
		return a.Parse(r.held.Doc())
	}
	r.held.Keep(ctx)
	defer r.held.Stop()
	err = r.clean(ctx)
	if err == nil {
		err = r.commit(ctx)
	}
	if err != nil {
		return nil, giveUp(ctx, r.held, true, err)
	}
	return a.Parse(r.held.Doc())
}

// resizing is a resize in progress.
type resizing struct {
	a       *array.Array // the array as first read
	id      claim.Claim
	shape   []int // the new shape
	base    []int // the shape in the document while the resize is in progress
	deletes bool  // delete objects outside base
	clears  bool  // clear elements outside shape in objects that remain, if there may be such elements
	held    *node.Held
	record  claim.Record // the record when the resize began
}

func newResizing(a *array.Array, shape []int, outside Outside) *resizing {
	r := &resizing{a: a, id: claim.New(claim.Resize), shape: shape, base: shapeOf(a)}
	low := shapeOf(a) // the common part of the old and the new shape
	for i, n := range shape {
		low[i] = min(low[i], n)
	}
	if outside.Keep {
		return r
	}
	for i, end := range ends(a, low) {
		r.clears = r.clears || outside.Clear && shape[i] < end
	}
	if r.clears || !slices.Equal(low, r.base) {
		r.base, r.deletes = low, true
	}
	return r
}

// ends returns, for each axis, the end of the last chunk of an array of this shape.
func ends(a *array.Array, shape []int) []int {
	e := slices.Clone(shape)
	for i, n := range shape {
		if n > 0 {
			_, start, length := chunkAt(a, i, n-1)
			e[i] = start + length
		}
	}
	return e
}

// begin returns the first change of a document that carries record. The change sets the new shape
// if no objects must be deleted or written before. Otherwise it sets the claim and the base shape.
func (r *resizing) begin(record claim.Record) (c node.Change, err error) {
	r.record = record
	c.Record = record
	if !r.deletes && !r.showsPast() && len(r.left()) == 0 {
		c.Edits, err = shapeEdits(r.a, r.shape)
		return c, err
	}
	c.Claim = r.id
	if r.deletes {
		c.Claim.Was = shapeOf(r.a)
	}
	if r.deletes || r.showsPast() {
		c.Record = record.Deleted(r.base)
		r.record = c.Record
	}
	if c.Edits, err = shapeEdits(r.a, r.base); err == nil {
		maps.Copy(c.Edits, gridEdits(r.a, r.shape))
	}
	return c, err
}

// showsPast reports whether the new shape includes elements outside base that may have old values,
// left in objects by an earlier resize.
func (r *resizing) showsPast() bool {
	if r.record.Past == nil {
		return false
	}
	past, ok := claim.Whole(r.record.Past).And(claim.Whole(r.shape))
	return ok && len(past.Outside(r.base)) > 0
}

// left returns the boxes, outside base but within the new shape, that may contain values of
// abandoned changes.
func (r *resizing) left() (boxes []claim.Box) {
	for _, b := range r.record.Left {
		if b, ok := b.And(claim.Whole(r.shape)); ok {
			boxes = append(boxes, b.Outside(r.base)...)
		}
	}
	return boxes
}

// maxFilled is the maximum number of objects that a resize replaces by fill values. There must be a
// maximum, because a stored record may contain boxes of any size. It equals maxUnlisted.
const maxFilled = 10_000_000

// clean deletes objects and clears elements outside base. Then it stores fill values in the objects
// that abandoned changes may have written or may still write. If there are more than maxFilled of
// these objects, clean returns fault.Limit.
func (r *resizing) clean(ctx context.Context) error {
	if r.deletes || r.showsPast() {
		if err := r.delete(ctx); err != nil {
			return err
		}
	}
	b, err := shaped(r.a, r.shape)
	if err != nil {
		return err
	}
	left := r.left()
	if n := objectsIn(b.Engine.Layout.Axes, left); n > maxFilled {
		return fault.Newf(fault.Limit, "abandoned changes may have left %.0f objects, more than the %d that can be replaced", n, maxFilled)
	}
	for _, box := range left {
		c, err := b.Guarded(r.held, box)
		if err == nil {
			err = clearBox(ctx, c, box)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commit sets the new shape and ends the claim.
func (r *resizing) commit(ctx context.Context) error {
	edits, err := shapeEdits(r.a, r.shape)
	if err != nil {
		return err
	}
	record := r.held.Record()
	if r.deletes || r.showsPast() {
		record.Past = nil
	}
	return r.held.Commit(ctx, node.Change{Edits: edits, Record: record.Written(r.shape)})
}

// delete deletes the objects outside base. In the remaining objects it sets elements to the fill
// value: elements outside base, along each axis on which they may have values of an earlier shape,
// and elements outside the new shape, if the resize clears them.
func (r *resizing) delete(ctx context.Context) error {
	past := r.record.Past
	// far is the smallest shape that covers the last chunks of base, the old shape and the past
	// shape.
	far, ends := make([]int, len(r.base)), ends(r.a, r.base)
	was := shapeOf(r.a)
	for i := range r.base {
		far[i] = max(was[i], ends[i])
		if past != nil {
			far[i] = max(far[i], past[i])
		}
	}
	b, err := shaped(r.a, far)
	if err != nil {
		return err
	}
	if b, err = b.Guarded(r.held, claim.Whole(far)); err != nil {
		return err
	}
	if err := deleteOutside(ctx, b, r.base); err != nil {
		return err
	}
	for axis, end := range ends {
		n := end
		if r.clears {
			n = min(n, r.shape[axis])
		}
		if past != nil && r.base[axis] < past[axis] {
			n = r.base[axis]
		}
		if n == end {
			continue
		}
		box := claim.Whole(ends)
		box.Lo[axis] = n
		if err := clearBox(ctx, b, box); err != nil {
			return err
		}
	}
	return nil
}

// maxCleared is the number of objects that are cleared concurrently. Each object takes memory for
// its part of the box.
const maxCleared = 4

// clearBox sets all elements of a box to the fill value, object by object.
func clearBox(ctx context.Context, a *array.Array, box claim.Box) error {
	return concurrency.Each(ctx, maxCleared, pieces(a.Engine.Layout.Axes, box), a.Fill)
}
