package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/copying/unread"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Verify returns the numbers of the tasks that are not done, in ascending order. The result is
// empty if the target is complete. It reads the claim and the markers of tasks in the target's
// store. After [Clean] of a complete transfer it compares the stored values with those of the
// source, see [RunTask]. It returns fault.Exists if another plan has claimed the target, or if
// another node is there.
func Verify(ctx context.Context, p *Plan, open Opener) ([]int, error) {
	w, err := Open(ctx, p, open)
	if err != nil {
		return nil, err
	}
	missing, unclaimed, err := w.claim.Missing(ctx)
	if unclaimed {
		err = w.compareAll(ctx, 0, w.tasks-1, 1)
	}
	if err != nil {
		err = fmt.Errorf("transfer: %w", err)
	}
	return missing, errors.Join(err, w.Close())
}

// compare checks that the stored values equal those that a task would write. The worker calls
// compare if the target contains the plan's documents but no claim: the transfer may have been
// cleaned, or another node may have the same documents. Tasks that write temporary arrays compare
// nothing. compare returns fault.Exists if the values differ.
func (w *Worker) compare(ctx context.Context, t Task) error {
	if t.Step.Kind == Finish { // complete if all other tasks are
		return w.compareAll(ctx, 0, w.tasks-1, 1)
	}
	step := *t.Step
	for step.From != nil && step.From.In == Temporary { // compare with its source
		s := w.p.writes(step.From)
		if s == nil {
			return nil
		}
		step.From, step.Start = s.From, s.Start
	}
	if step.From == nil || step.To.In != Target {
		return nil
	}
	if step.Kind == Objects {
		return w.below(ctx, &step, func(ctx context.Context, from, to string, _ int64) error { return w.compareObject(ctx, from, to) })
	}
	t.Step = &step
	src, dst, err := w.arrays.both(ctx, t.Step)
	switch {
	case err != nil:
		return err
	case t.Step.Kind == Encoded:
		return w.objects(ctx, t, src, dst, w.compareObject)
	case t.Step.Inner != nil:
		return boxes(t, dst, func(from, to []zarr.Selection, n []int) error { return w.compareBlock(ctx, src, dst, from, to, n) })
	}
	a, b, n := regions(t, dst)
	return w.compareBlock(ctx, src, dst, a, b, n)
}

// errDiffers is the error for a target without a claim whose values differ from those of the copy.
var errDiffers = fault.Newf(fault.Exists, "the target is a node whose values differ from the source")

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

// compareObject compares the stored bytes of two objects.
func (w *Worker) compareObject(ctx context.Context, src, dst string) error {
	hold, err := w.limits.Bytes.Acquire(ctx, concurrency.Task, 2*concurrency.Need(piece))
	if err != nil {
		return err
	}
	defer hold.Release()
	same, err := unread.SameObject(ctx, w.src, src, w.dst, dst, hold.Buffer(piece), hold.Buffer(piece))
	if err == nil && !same {
		err = errDiffers
	}
	return err
}

// writes returns the step that writes the temporary array tmp, or nil if no step writes it.
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

// compareAll runs compare for the tasks [lo, hi), at most max(parallel, 1) of them concurrently.
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
