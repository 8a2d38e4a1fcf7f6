package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/zarr/fault"
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
	return a.appendRows(ctx, axis, n, write)
}

// append appends so many elements, which write writes to an array that is long enough.
func (a *Array) append(ctx context.Context, axis, elements int, write func(context.Context, *Array, int) error) (*Array, error) {
	n, err := a.rows(axis, elements)
	if err != nil {
		return nil, err
	}
	return a.appendRows(ctx, axis, n, write)
}

func (a *Array) appendRows(ctx context.Context, axis, n int, write func(context.Context, *Array, int) error) (*Array, error) {
	out, err := grow.Append(ctx, growing{a}, axis, n, func(ctx context.Context, view grow.Array, from int) error {
		return write(ctx, viewed(view), from)
	}, a.growth())
	if err != nil {
		return nil, err
	}
	return viewed(out), nil
}

// growth are the options of a change.
func (n *node) growth() grow.Options {
	o := grow.Options{Wait: n.cfg.wait, Over: n.cfg.over}
	if n.cfg.at >= 0 {
		o.At = &n.cfg.at
	}
	return o
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
