package array

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/codec"
)

// Read reads a region into dst.
func (a *Array) Read(ctx context.Context, dst []byte, r grid.Selection) error {
	if err := a.Engine.Read(ctx, memory(dst, r), r); err != nil {
		return a.Errorf(err)
	}
	return nil
}

// Write writes src to a region.
func (a *Array) Write(ctx context.Context, src []byte, r grid.Selection) error {
	err := a.At.Writable()
	if err == nil {
		err = a.Confirm(ctx)
	}
	switch {
	case err != nil:
	case a.Shards != nil:
		err = a.Engine.PutShards(ctx, memory(src, r), r, a.Shards)
	default:
		err = a.Engine.Write(ctx, memory(src, r), r)
	}
	if err != nil {
		return a.Errorf(err)
	}
	return nil
}

func memory(b []byte, r grid.Selection) pipeline.Memory {
	return pipeline.Memory{Block: codec.Block{Bytes: b}, Shape: r.Shape()}
}

// Fill sets all elements of a box to the fill value.
func (a *Array) Fill(ctx context.Context, box claim.Box) error {
	n, r := 1, make(grid.Region, len(box.Lo))
	for i, lo := range box.Lo {
		r[i] = grid.Slice{Start: lo, Step: 1, Count: box.Hi[i] - lo}
		n *= r[i].Count
	}
	b := a
	if keeps, err := a.Keeps(r); err != nil {
		return err
	} else if keeps {
		o := a.Cfg
		o.Chunks.StoreFill = true
		if b, err = a.With(o); err != nil {
			return err
		}
	}
	fill := a.Meta.Fill
	if fill == nil {
		fill = a.Meta.DType.DefaultFill()
	}
	if a.Meta.DType.Size() > 0 {
		return b.Write(ctx, slices.Repeat(fill, n), r)
	}
	items, err := b.Pipe.Items(math.MaxInt64)
	if err != nil {
		return a.Errorf(err)
	}
	numbers, p := make([]byte, 0, 8*n), items.Packer(16*n)
	for range n {
		number, err := p.Add(fill)
		if err != nil {
			return a.Errorf(err)
		}
		numbers = binary.LittleEndian.AppendUint64(numbers, number)
	}
	p.Done()
	return b.Numbered(items).Write(ctx, numbers, r)
}

// Confirm checks, once and before the first write, that the array's stored metadata agrees with the
// documents it was opened from. A chunk encoded by stale metadata would be garbage to other
// readers. Errors do not name the array.
func (a *Array) Confirm(ctx context.Context) error {
	copies := &a.Shared.copies
	if a.At.From == node.FromStore || copies.Confirmed.Load() {
		return nil
	}
	_, _, err := copies.Confirms.Do(ctx, "", func(ctx context.Context) (struct{}, error) {
		if copies.Confirmed.Load() {
			return struct{}{}, nil
		}
		err := a.At.Confirm(ctx, a.At.Array())
		copies.Confirmed.Store(err == nil)
		return struct{}{}, err
	})
	return err
}

// Keeps reports whether a write of r must leave an object under every key that it writes, according
// to the opened document. It must do so if a request of an abandoned change may still arrive,
// because such a request puts an object on the condition that its key is absent.
func (a *Array) Keeps(r grid.Selection) (bool, error) {
	if a.Cfg.Chunks.StoreFill || a.Shards != nil || a.At.From != node.FromStore {
		return false, nil
	}
	record, err := node.RecordIn(a.At.Doc)
	if err != nil {
		return false, a.Errorf(err)
	}
	if len(record.Left)+len(record.Kept) == 0 {
		return false, nil
	}
	return record.Touches(aligned(a.Engine.Layout.Axes, bounds(r, a.Engine.Layout.Shape))), nil
}

// Guarded returns an array for writes of a box while its document is held. Each write first checks
// the claim. Objects of the box are kept as in [Array.Keeps]. Writes do not confirm the metadata,
// because it may not be stored yet.
func (a *Array) Guarded(held *node.Held, where claim.Box) (*Array, error) {
	o := a.Cfg
	o.Guard = held.Check // inherited by views
	a.Shared.copies.Confirmed.Store(true)
	if o.Chunks.StoreFill || !held.Record().Touches(aligned(a.Engine.Layout.Axes, where)) {
		return View(a.At, o, a.Shared), nil
	}
	o.Chunks.StoreFill = true
	return a.With(o)
}

// bounds returns a box that contains all selected elements of an array of this shape.
func bounds(s grid.Selection, shape []int) claim.Box {
	b := claim.Whole(shape)
	region, ok := s.(grid.Region)
	if !ok {
		return b
	}
	for i, x := range region {
		if x.Count == 0 {
			b.Hi[i] = 0
			continue
		}
		last := x.Start + (x.Count-1)*x.Step
		b.Lo[i], b.Hi[i] = min(x.Start, last), max(x.Start, last)+1
	}
	return b
}

// aligned returns the smallest box of whole objects that contains b.
func aligned(axes []grid.Axis, b claim.Box) claim.Box {
	out := claim.Box{Lo: slices.Clone(b.Lo), Hi: slices.Clone(b.Hi)}
	for i, axis := range axes {
		if b.Lo[i] >= b.Hi[i] {
			continue
		}
		_, _, off := axis.Locate(b.Lo[i])
		out.Lo[i] -= off
		_, length, off := axis.Locate(b.Hi[i] - 1)
		out.Hi[i] = b.Hi[i] - 1 - off + length
	}
	return out
}
