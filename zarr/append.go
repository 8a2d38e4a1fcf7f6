package zarr

import (
	"context"
	"time"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/zarr/fault"
)

// AppendOptions are those of one [Append], [Array.AppendFunc], [Group.Append] or [NewWriter]. The
// zero value appends at the end. A change of the shape by another process is then ErrConflict.
type AppendOptions struct {
	// At is the row at which the append must begin, so that a job that runs twice appends once:
	//
	//	a, err = zarr.Append(ctx, a, 0, day, zarr.AppendOptions{At: new(24 * n)})
	//
	// If the array has more rows the append fails with ErrExists. If it has fewer the append fails
	// with ErrConflict, which Wait waits for. nil is the end, wherever that is.
	At *int
	// Wait waits so long for other processes that append or resize, and then appends after their
	// rows. NewWriter waits before it begins.
	Wait time.Duration
	// TakeOver takes the place of a change that began at least so long ago and did not end: as a
	// rule its process was killed. The unfinished change is given up. If its process is still
	// working, that process fails with ErrConflict, and its late requests change nothing that others
	// wrote. Deletes of a Resize are the exception: a Resize that is taken over while it deletes
	// must have ended. 0 takes over no change, a negative duration every change.
	TakeOver time.Duration
}

func (o AppendOptions) grow() grow.Options {
	over := document.TakeOver{May: o.TakeOver != 0, Age: o.TakeOver}
	return grow.Options{At: o.At, Wait: o.Wait, Over: over}
}

// Append extends the array along an axis and writes src after the existing elements. src has the
// new elements in C order: a whole number of rows, where a row is all elements at one index of the
// axis. Append returns the array with its new shape; a stays as it was. T is as for [Read].
//
// Other processes see the new shape once all chunks are stored, so a reader never sees a hole. One
// append at a time changes an array: it first claims the rows in the array's document. Meanwhile
// another append or resize fails with ErrConflict and changes nothing. So does an append to an
// array that grew since it was opened (see [Array.Refresh]), unless AppendOptions has it wait. The
// claim of a killed process stays and does not disturb readers; AppendOptions can take it over.
// After an error the shape is what it was.
//
// A chunk that is stored in part, or its shard, is read and written again, on condition that it did
// not change meanwhile; the report counts these (Rewritten). For rows that come a few at a time use
// a [Writer]. Besides the requests of the chunks, an append takes 2 requests for the document and
// one for each chunk that is stored in part. The array needs a store with conditional writes, or
// [SingleWriter]. ErrSelection: a rectilinear grid ends before the new shape.
func Append[T any](ctx context.Context, a *Array, axis int, src []T, o AppendOptions) (*Array, error) {
	if err := a.growable(axis); err != nil {
		return nil, a.errf(err)
	}
	if _, err := regionOf[T](a, 0, along(axis, Range(0, 0))); err != nil {
		return nil, err
	}
	n, err := a.rows(axis, len(src))
	if err != nil {
		return nil, err
	}
	return a.AppendFunc(ctx, axis, n, func(ctx context.Context, view *Array, from int) error {
		return Write(ctx, view, src, along(axis, Range(from, End))...)
	}, o)
}

// AppendFunc is [Append] of n rows that write stores, of any data type and in any pieces. It calls
// write with a view of the array that has the new rows, of which the first has the index from.
// Pieces that are not whole chunks are read and written again. write must not keep the view. If
// AppendFunc waits for other processes it may call write again.
func (a *Array) AppendFunc(ctx context.Context, axis, n int, write func(ctx context.Context, view *Array, from int) error, o AppendOptions) (*Array, error) {
	if err := a.growable(axis); err != nil {
		return nil, a.errf(err)
	}
	if n < 0 {
		return nil, a.errf(fault.Newf(fault.Selection, "%d rows", n))
	}
	out, err := grow.Append(ctx, growing{a}, axis, n, func(ctx context.Context, view grow.Array, from int) error {
		return write(ctx, viewed(view), from)
	}, o.grow())
	if err != nil {
		return nil, err
	}
	return viewed(out), nil
}

// rows returns the number of rows that so many elements make.
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

// row returns the number of elements at one index of an axis.
func (a *Array) row(axis int) int {
	n := 1
	for i, d := range a.meta.Shape {
		if i != axis {
			n *= d
		}
	}
	return n
}

// along selects along the axis of a number.
func along(axis int, s Selection) []Selection {
	sel := make([]Selection, axis+1)
	for i := range axis {
		sel[i] = All
	}
	sel[axis] = s
	return sel
}
