package transfer

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// errDiffers is the error of a target without a claim that does not hold what the plan would store.
var errDiffers = fault.Newf(fault.Exists, "a node is at the target, and its values are not those that the plan copies")

// compare compares what a task would write with what is stored. It is for a target whose transfer
// was cleaned: nothing names the plan there any more, and the same documents may be another node's.
// Of temporary arrays nothing is left to compare.
//
// fault.Exists: they differ.
func (w *Worker) compare(ctx context.Context, t Task) error {
	if t.Step.Kind == Finish { // it is done when all others are
		return w.compareAll(ctx, 0, w.tasks-1, 1)
	}
	step := *t.Step
	for step.From != nil && step.From.In == Temporary { // its elements are those that the stage before read
		s := w.p.writes(step.From)
		if s == nil {
			return nil
		}
		step.From, step.Start = s.From, s.Start
	}
	if step.From == nil || step.To.In != Target {
		return nil
	}
	t.Step = &step
	src, dst, err := w.arrays.both(ctx, t.Step)
	switch {
	case err != nil:
		return err
	case t.Step.Kind == Encoded:
		return w.compareObjects(ctx, t, src, dst)
	case t.Step.Inner != nil:
		return boxes(t, dst, func(from, to []zarr.Selection, n []int) error { return w.compareBlock(ctx, src, dst, from, to, n) })
	}
	a, b, n := regions(t, dst)
	return w.compareBlock(ctx, src, dst, a, b, n)
}

// compareBlock compares the elements of a region of both arrays.
func (w *Worker) compareBlock(ctx context.Context, from, to *zarr.Array, src, dst []zarr.Selection, n []int) error {
	size := product(int64(itemSize(to)), n...)
	block, err := w.memory.Acquire(ctx, concurrency.Block, sum(size, size))
	if err != nil {
		return err
	}
	defer block.Release()
	same := false
	if to.DType().Size() == 0 {
		var a, b [][]byte
		if a, err = from.ReadItems(ctx, src...); err == nil {
			b, err = to.ReadItems(ctx, dst...)
		}
		same = slices.EqualFunc(a, b, bytes.Equal)
	} else {
		a, b := region(block, size, size), region(block, size, size)
		if err = from.ReadBytes(ctx, a, src...); err == nil {
			err = to.ReadBytes(ctx, b, dst...)
		}
		same = bytes.Equal(a, b)
	}
	if err == nil && !same {
		err = errDiffers
	}
	return err
}

// compareObjects compares the stored objects of a task.
func (w *Worker) compareObjects(ctx context.Context, t Task, from, to *zarr.Array) error {
	return w.objects(ctx, t, from, to, func(ctx context.Context, src, dst string) error {
		hold, err := w.limits.Bytes.Acquire(ctx, concurrency.Task, 2*concurrency.Need(piece))
		if err != nil {
			return err
		}
		defer hold.Release()
		a, b := hold.Buffer(piece), hold.Buffer(piece)
		x, sizeX, err := part0(ctx, w.src, src, a)
		if err != nil {
			return err
		}
		y, sizeY, err := part0(ctx, w.dst, dst, b)
		if err != nil {
			return err
		}
		for off := int64(len(x)); ; off += int64(len(x)) {
			if sizeX != sizeY || !bytes.Equal(x, y) {
				return errDiffers
			}
			if off >= sizeX {
				return nil
			}
			next := store.GetOptions{Range: store.Within(off, min(piece, sizeX-off))}
			vx, err := w.src.Get(ctx, src, next, a[:0])
			if err != nil {
				return err
			}
			vy, err := w.dst.Get(ctx, dst, next, b[:0])
			if err != nil {
				return err
			}
			x, y = vx.Bytes, vy.Bytes
		}
	})
}

// part0 reads an object, or nothing of one that is longer than a piece. size is -1 where it is
// proven absent.
func part0(ctx context.Context, st store.Store, key string, buf []byte) (b []byte, size int64, err error) {
	v, err := st.Get(ctx, key, store.GetOptions{Max: piece}, buf[:0])
	var long *store.TooLong
	switch {
	case errors.Is(err, fault.NotFound):
		return nil, -1, nil
	case errors.As(err, &long):
		return nil, long.Announced, nil
	}
	return v.Bytes, v.Size, err
}

// writes is the step that writes a temporary array.
func (p *Plan) writes(tmp *Array) *Step {
	for k := range p.Stages {
		for i := range p.Stages[k].Steps {
			if s := &p.Stages[k].Steps[i]; s.To != nil && *s.To == *tmp {
				return s
			}
		}
	}
	return nil
}

// compareAll compares what the tasks from lo to before hi would write.
func (w *Worker) compareAll(ctx context.Context, lo, hi, parallel int) error {
	return concurrency.Each(ctx, max(parallel, 1), numbers(lo, hi), func(ctx context.Context, i int) error { return w.compare(ctx, w.p.Task(i)) })
}

func numbers(lo, hi int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := lo; i < hi; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// compare compares what this process's share of all stages would write.
func (r *running) compare(ctx context.Context) error {
	for k := range r.w.p.Stages[:len(r.w.p.Stages)-1] {
		if r.o.Stage != 0 && r.o.Stage != k+1 {
			continue
		}
		lo, hi := r.share(k)
		if err := r.w.compareAll(ctx, lo, hi, r.o.Parallel); err != nil {
			return err
		}
	}
	return nil
}
