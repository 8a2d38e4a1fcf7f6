package npy

import (
	"fmt"
	"io"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Writer writes a file from Go values. It is not safe for concurrent use.
type Writer struct {
	w    io.Writer
	t    dtype.Type
	left int64 // number of elements that are not written yet
}

// NewWriter writes the header of a file to w and returns a Writer of its elements. The elements are
// written in little-endian byte order, whatever h.Order is.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	h.Type, _, _ = dtype.Uniform(h.Type)
	h.Order = dtype.Little
	n, err := h.Elems()
	if err != nil {
		return nil, err
	}
	head, err := AppendHeader(nil, h)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(head); err != nil {
		return nil, fmt.Errorf("the .npy header: %w", err)
	}
	return &Writer{w, h.Type, n}, nil
}

// Write writes the next elements, in Fortran order if the header has Fortran set, and otherwise in
// C order. T must fit the data type, as in [Read]. If src has more elements than remain, Write
// returns fault.Selection and writes nothing.
func Write[T any](w *Writer, src []T) error {
	f, err := formOf[T](w.t)
	if err != nil {
		return err
	}
	if int64(len(src)) > w.left {
		return fault.Newf(fault.Selection, "%d elements are written to a .npy file that lacks %d", len(src), w.left)
	}
	send := func(part []T, b []byte) error {
		if _, err := w.w.Write(b); err != nil {
			return fmt.Errorf("the elements: %w", err)
		}
		w.left -= int64(len(part))
		return nil
	}
	if view, ok := bytesview.Of(src); ok && f.moves == nil {
		return send(src, view)
	}
	return f.blocks(src, func(part []T, b []byte) error {
		if err := f.put(b, part); err != nil {
			return err
		}
		return send(part, b)
	})
}

// Close returns fault.Selection if elements are missing. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.left > 0 {
		return fault.Newf(fault.Selection, "the .npy file lacks %d elements", w.left)
	}
	return nil
}
