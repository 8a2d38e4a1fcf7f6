package zarr

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ResizeOptions say what becomes of values outside the new shape. The zero value deletes chunks that lie wholly outside it, and in a
// sharded array shards; a chunk that the shape ends within stays as it is, so that an array that grows again has its values again.
type ResizeOptions struct {
	// MetadataOnly changes the shape and nothing else: all values are there again should the array grow again.
	MetadataOnly bool
	// Clear sets what lies outside the shape within chunks to the fill value too. They are read and written again.
	Clear bool
}

// Resize gives the array another shape of the same rank, and returns the array with it; a stays as it was. Elements that come in are the fill value, or what
// an earlier shape left there; see ResizeOptions for those that go out.
//
// The shape changes first, on condition that no one else changed the array since it was opened (ErrConflict), then chunks are deleted: their
// keys in batches or, where there are more than some thousand, those that are listed. An array that loses chunks is claimed meanwhile as by
// [Append]. After an error of a delete the shape is the new one, and the next Append or Resize deals with what is left. ErrSelection where a
// rectilinear grid does not reach so far.
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
	low := make([]int, len(shape)) // what stays
	for i, n := range a.meta.Shape {
		low[i] = min(n, shape[i])
	}
	edits, err := shapeEdits(shape)
	if err != nil {
		return nil, err
	}
	shrinks := !slices.Equal(low, a.meta.Shape)
	if !shrinks || o.MetadataOnly {
		c := claim.Claim{}
		if o.MetadataOnly {
			c.What = claim.Resize
		}
		held, err := a.docs().Hold(ctx, a.doc, len(shape), c, edits, a.cfg.over)
		if err == nil {
			return a.reparsed(held.Doc())
		}
		if !errors.Is(err, document.ErrGivenUp) {
			return nil, err
		}
	}
	return a.resizeCleanly(ctx, low, shape, edits, o.Clear)
}

// resizeCleanly changes the shape to what stays of it, deletes what is outside, and changes it to what edits say.
func (a *Array) resizeCleanly(ctx context.Context, low, shape []int, edits document.Edits, edges bool) (*Array, error) {
	c := claim.New(claim.Resize)
	c.Was = a.Shape()
	first, err := shapeEdits(low)
	if err != nil {
		return nil, err
	}
	held, err := a.docs().Hold(ctx, a.doc, len(shape), c, first, a.cfg.over)
	if err != nil {
		return nil, err
	}
	g := growth{a: a, held: held}
	given := held.Claim().Abandoned
	edge := make([]bool, len(low))
	for i, n := range low {
		// What writers left who gave up is no value of the array that may show again.
		edge[i] = edges && n < c.Was[i] || i < len(given) && n < given[i]
	}
	err = a.clean(ctx, held, low, claim.Farther(c.Was, given), edge)
	if err == nil {
		err = held.Commit(ctx, edits, claim.Claim{})
	}
	if err != nil {
		g.giveUp(ctx)
		return nil, err
	}
	return a.reparsed(held.Doc())
}

// clean deletes the objects outside a shape, of an array that reaches so far, and along axes with an edge sets what is outside in others to the
// fill value.
func (a *Array) clean(ctx context.Context, held *document.Held, shape, far []int, edge []bool) error {
	far = append(slices.Clone(far), make([]int, len(shape)-len(far))...)
	ends := make([]int, len(shape)) // of the chunks that the shape ends within
	for i, n := range shape {
		if ends[i] = n; n > 0 {
			_, start, length := a.ChunkAt(i, n-1)
			ends[i] = start + length
		}
		far[i] = max(far[i], ends[i])
	}
	b, err := a.shaped(far)
	if err != nil {
		return err
	}
	b.shared.confirmed.Store(true)
	b.engine.Options.Guard = held.Check
	rank := len(shape)
	err = b.engine.DeleteOutside(ctx, shape, func(key string) ([]int, bool) { return b.meta.Keys.Parse(key, rank) })
	if err != nil {
		return err
	}
	for axis, n := range shape {
		if n == ends[axis] || !edge[axis] {
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
