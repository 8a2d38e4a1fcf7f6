package reading

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// write prints the values of an array. If all is false, it returns an error for a huge array whose
// chunks are mostly not stored.
func (a *cdlArray) write(ctx context.Context, d *cdl.DataWriter, all bool) error {
	r, err := selection.Resolve(nil, a.Shape(), a.Dims())
	if err != nil {
		return err
	}
	if !all {
		if err := selection.Dense(ctx, a.Array, len(a.Shape()), r); err != nil {
			return err
		}
	}
	if a.DType() == dtype.String {
		return selection.EachPacked(ctx, a.Array, r, selection.BandBytes, func(p *zarr.Packed) error {
			for i := range p.Len() {
				d.Text(string(p.At(i)))
			}
			return nil
		})
	}
	local := session.Local(a.Array)
	t, read := render.ReaderOf(local)
	return selection.Stream(ctx, local, r, selection.BandBytes, t, read, interruptible(ctx, t.Size(), a.printer(d)))
}

// interruptible returns a function that calls put with a few elements at a time, each of size
// bytes, and fails after the context has ended.
func interruptible(ctx context.Context, size int, put func(elems []byte) error) func(elems []byte) error {
	most := max(size, 1<<18/size*size)
	return func(elems []byte) error {
		for part := range slices.Chunk(elems, most) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := put(part); err != nil {
				return err
			}
		}
		return nil
	}
}

// printer returns a function that prints elements.
func (a *cdlArray) printer(d *cdl.DataWriter) func(elems []byte) error {
	t := a.DType()
	switch a.kind {
	case cdl.Char:
		return a.texts(d)
	case cdl.String:
		size := t.Size()
		return func(elems []byte) error {
			for ; len(elems) > 0; elems = elems[size:] {
				d.Text(coding.FixedText(t, elems[:size]))
			}
			return nil
		}
	case cdl.Float, cdl.Double:
		nan := a.missing != nil && isNaN(valueOf(t, a.missing))
		return printNumbers(a, d, func(f float64) {
			if nan && math.IsNaN(f) {
				d.Missing()
			} else {
				d.Float(f)
			}
		})
	case cdl.UByte, cdl.UShort, cdl.UInt, cdl.UInt64:
		return printNumbers(a, d, func(n uint64) { d.Integer(strconv.FormatUint(n, 10)) })
	}
	return printNumbers(a, d, func(n int64) { d.Integer(strconv.FormatInt(n, 10)) })
}

// batch is the number of elements that printNumbers converts at a time.
const batch = 1 << 12

// printNumbers returns a function that calls put for each element that is not missing.
func printNumbers[T any](a *cdlArray, d *cdl.DataWriter, put func(T)) func(elems []byte) error {
	t := a.DType()
	size := t.Size()
	numbers := make([]T, batch)
	return func(elems []byte) error {
		for len(elems) > 0 {
			n := min(batch, len(elems)/size)
			if err := convertNumbers(t, numbers[:n], elems[:n*size]); err != nil {
				return err
			}
			for _, v := range numbers[:n] {
				if bytes.Equal(elems[:size], a.missing) {
					d.Missing()
				} else {
					put(v)
				}
				elems = elems[size:]
			}
		}
		return nil
	}
}

// convertNumbers converts elements to T. It converts booleans and times, which dtype.Convert does
// not accept, from the stored integers.
func convertNumbers[T any](t dtype.Type, dst []T, elems []byte) error {
	switch t.(type) {
	case dtype.DateTime, dtype.TimeDelta:
		t = dtype.Int64
	}
	if t == dtype.Bool {
		t = dtype.Int8
	}
	return dtype.Convert(t, dst, elems)
}

// texts returns a function that prints the characters along the last dimension as one string. It
// omits zero bytes at the end.
func (a *cdlArray) texts(d *cdl.DataWriter) func(elems []byte) error {
	row := max(a.row(), 1)
	var text []byte
	return func(elems []byte) error {
		for len(elems) > 0 {
			n := min(row-len(text), len(elems))
			text, elems = append(text, elems[:n]...), elems[n:]
			if len(text) == row {
				d.Text(dtype.Text(text))
				text = text[:0]
			}
		}
		return nil
	}
}
