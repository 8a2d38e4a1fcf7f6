package zarr

import (
	"context"
	"time"

	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/zarr/fault"
)

// AppendOptions are the options of [Append], [Array.AppendFunc], [Group.Append] and [NewWriter].
// The zero value appends at the end, and returns ErrConflict if another process changes the shape.
type AppendOptions struct {
	// At is the row at which the append must begin, so that a job that runs twice appends once:
	//
	//	a, err = zarr.Append(ctx, a, 0, day, zarr.AppendOptions{At: new(24 * n)})
	//
	// If the array has more rows, the append fails with ErrExists. If it has fewer, the append
	// waits up to Wait for the missing rows, and then fails with ErrConflict. The default, nil,
	// appends at the current end.
	At *int
	// Wait is the maximum time to wait for other processes that append or resize. The append then
	// begins after their rows. NewWriter waits before it returns. A wait is reported to
	// store.Trace.Conflict. The default, 0, does not wait.
	Wait time.Duration
	// TakeOver discards an unfinished change of another process, usually a killed one, if the
	// process has not renewed its claim for this long. A process renews the claims of its appends,
	// resizes and open Writers every 30 s, so two minutes is a safe value. If the other process is
	// still running, its change fails with ErrConflict and overwrites nothing that others wrote. A
	// Resize that is deleting chunks must not be taken over before its process has ended. The
	// default, 0, takes over no change. A negative duration takes over any change.
	TakeOver time.Duration
}

func (o AppendOptions) grow() grow.Options {
	over := node.TakeOver{May: o.TakeOver != 0, Age: o.TakeOver}
	return grow.Options{At: o.At, Wait: o.Wait, Over: over}
}

// Append extends the array along an axis and writes src after the existing elements. src contains
// the new elements in C order. They must form whole rows, where a row is all elements at one index
// of the axis. Append returns the array with its new shape; a is unchanged. T is as for [Read].
//
// Other processes see the new shape after all chunks are stored, so a reader never sees a hole.
// Only one append at a time changes an array. It first claims the rows in the array's metadata
// document. While the claim exists, another append or resize fails with ErrConflict and changes
// nothing. An append to an array that grew since it was opened also fails with ErrConflict (see
// [Array.Refresh]), unless AppendOptions.Wait is set. After an error the shape is unchanged. If the
// process is killed, its claim remains. The claim does not affect readers, and
// AppendOptions.TakeOver removes it.
//
// An existing chunk, or shard, that receives some of the rows is read and written again, on
// condition that it did not change in between. [Report] counts these as Rewritten. For rows that
// arrive a few at a time, use a [Writer].
//
// Besides the requests for its chunks, an append sends two requests for the metadata document and
// one for each partly filled chunk. It requires a store with conditional writes, or [SingleWriter].
// If a rectilinear grid ends before the new shape, the grid receives one more chunk with the
// remaining rows, as in zarr-python. The claim extends the grid already, and it keeps the chunk if
// the append fails. Append returns ErrSelection if the length of this chunk is not a multiple of
// the inner chunks of a sharded array.
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

// AppendFunc extends the array by n rows along axis, as [Append] does. The function write stores
// the rows: AppendFunc passes it a view of the array that includes the new rows, and the index of
// the first new row. The elements may have any data type and be stored in any number of pieces.
// Chunks that a piece covers only in part are read and written again. The view is valid until write
// returns. If AppendFunc waits for other processes, it may call write more than once.
func (a *Array) AppendFunc(ctx context.Context, axis, n int, write func(ctx context.Context, view *Array, from int) error, o AppendOptions) (*Array, error) {
	if err := a.growable(axis); err != nil {
		return nil, a.errf(err)
	}
	if n < 0 {
		return nil, a.errf(fault.Newf(fault.Selection, "the number of rows must be at least 0, is %d", n))
	}
	out, err := grow.Append(ctx, a.of, axis, n, func(ctx context.Context, view *array.Array, from int) error {
		return write(ctx, a.viewed(view), from)
	}, o.grow())
	if err != nil {
		return nil, err
	}
	return a.viewed(out), nil
}

// rows returns the number of rows along axis that the given number of elements fills.
func (a *Array) rows(axis, elements int) (int, error) {
	if err := a.growable(axis); err != nil {
		return 0, a.errf(err)
	}
	row := a.row(axis)
	if elements > 0 && (row == 0 || elements%row != 0) {
		return 0, a.errf(fault.Newf(fault.Selection, "the number of elements must be a multiple of %d, the length of a row, is %d", row, elements))
	}
	if elements == 0 {
		return 0, nil
	}
	return elements / row, nil
}

// row returns the number of elements of one row along axis.
func (a *Array) row(axis int) int {
	n := 1
	for i, d := range a.of.Meta.Shape {
		if i != axis {
			n *= d
		}
	}
	return n
}

// along returns selections that apply s to the given axis and All to each axis before it.
func along(axis int, s Selection) []Selection {
	sel := make([]Selection, axis+1)
	for i := range axis {
		sel[i] = All
	}
	sel[axis] = s
	return sel
}
