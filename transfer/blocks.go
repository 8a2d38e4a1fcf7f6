package transfer

import (
	"context"
	"errors"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
)

// block copies the region of a task by decoding and encoding it.
func (w *Worker) block(ctx context.Context, t Task) error {
	from, to, err := w.arrays.both(ctx, t.Step)
	if err != nil {
		return err
	}
	if t.Step.Inner != nil {
		return w.fill(ctx, t, from, to)
	}
	src, dst, n := regions(t, to)
	block, err := w.memory.Acquire(ctx, concurrency.Block, needOf(t.Step, from, to).block)
	if err != nil {
		return err
	}
	defer block.Release()
	if to.DType().Size() == 0 {
		items, err := from.ReadItems(ctx, src...)
		if err != nil {
			return err
		}
		return to.WriteItems(ctx, items, dst...)
	}
	buf := region(block, blockBytes(to, t.Step.Block), product(int64(itemSize(to)), n...))
	if err := from.ReadBytes(ctx, buf, src...); err != nil {
		return err
	}
	return to.WriteBytes(ctx, buf, dst...)
}

// regions returns the selections of a task in both arrays, and their shape.
func regions(t Task, to *zarr.Array) (src, dst []zarr.Selection, n []int) {
	objects := walk.Box{At: t.Lo, Shape: make([]int, len(t.Lo))}
	for d, hi := range t.Hi {
		objects.Shape[d] = hi - t.Lo[d]
	}
	b := walk.Covered(to, objects)
	return selections(sourceBox(t.Step.Start, b)), selections(b), b.Shape
}

// region returns a buffer of n bytes from a hold. most is the size of the largest region. The
// buffer has at least this capacity, so that smaller regions at the end of an array can reuse it.
func region(h *concurrency.Hold, most, n int64) []byte { return h.Buffer(int(max(most, n)))[:n] }

// boxes calls f for each box of a task that fills a shard, in order, with the selections of the box
// in both arrays and its shape.
func boxes(t Task, to *zarr.Array, f func(src, dst []zarr.Selection, n []int) error) error {
	each := to.Chunks()
	for d, n := range each {
		each[d] = int(min(product(int64(n), t.Step.Inner[d]), math.MaxInt))
	}
	for b := range walk.Object(to, t.Lo).Parts(each) {
		if err := f(selections(sourceBox(t.Step.Start, b)), selections(b), b.Shape); err != nil {
			return err
		}
	}
	return nil
}

// fill copies one shard of the target in boxes of its inner chunks. The shard is sent in parts as
// it grows, and becomes visible when it is complete.
func (w *Worker) fill(ctx context.Context, t Task, from, to *zarr.Array) error {
	block, err := w.memory.Acquire(ctx, concurrency.Block, needOf(t.Step, from, to).block)
	if err != nil {
		return err
	}
	defer block.Release()
	shard, err := to.OpenShard(ctx, t.Lo...)
	if err != nil {
		return err
	}
	size := boxBytes(to, t.Step.Inner)
	buf := region(block, size, size)
	err = boxes(t, to, func(src, dst []zarr.Selection, n []int) error {
		b := buf[:product(int64(itemSize(to)), n...)]
		if err := from.ReadBytes(ctx, b, src...); err != nil {
			return err
		}
		return shard.WriteBytes(ctx, b, dst...)
	})
	if err != nil {
		return errors.Join(err, shard.Abort(context.WithoutCancel(ctx)))
	}
	return shard.Commit(ctx)
}
