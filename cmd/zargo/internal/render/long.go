package render

import (
	"io"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Column is an axis of a selection whose elements have labels.
type Column struct {
	Name  string
	Count int                // elements of the axis
	Label func(i int) string // of element i
}

// maxLabels is the maximum number of formatted labels of an axis that stay in memory.
const maxLabels = 1 << 16

// NewLongSink returns a sink that writes CSV with one line for each element: its label along each
// axis, and its value. The first line contains the names of the axes and the name of the values.
func NewLongSink(w io.Writer, t dtype.Type, axes []Column, values string) (Sink, error) {
	one, err := elements(t, csvSpelling())
	if err != nil {
		return nil, err
	}
	s := &longSink{w: w, one: one, size: t.Size(), axes: axes, values: values, labels: make([][][]byte, len(axes))}
	shape := make([]int, len(axes))
	for k, a := range axes {
		if shape[k] = a.Count; a.Count <= maxLabels {
			s.labels[k] = make([][]byte, a.Count)
		}
	}
	s.counter = newCounter(shape)
	return s, nil
}

type longSink struct {
	counter
	w      io.Writer
	one    element
	size   int
	axes   []Column
	values string
	labels [][][]byte // formatted labels; nil for a long axis
	buf    []byte
}

func (s *longSink) Begin() error {
	for _, a := range s.axes {
		s.buf = append(AppendCell(s.buf, a.Name), ',')
	}
	s.buf = append(AppendCell(s.buf, s.values), '\n')
	return s.flush()
}

func (s *longSink) Write(elems []byte) error {
	for ; len(elems) > 0; elems = elems[s.size:] {
		for k, i := range s.index {
			s.buf = append(s.buf, s.label(k, i)...)
			s.buf = append(s.buf, ',')
		}
		from := len(s.buf)
		s.buf = s.one(s.buf, elems[:s.size])
		if len(s.buf) == from && len(s.axes) == 0 {
			s.buf = append(s.buf, `""`...) // readers of CSV skip empty lines
		}
		s.buf = append(s.buf, '\n')
		s.next()
		if len(s.buf) > 1<<15 {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return s.flush()
}

// label returns the cell with the label of element i of axis k.
func (s *longSink) label(k, i int) []byte {
	if s.labels[k] == nil {
		return AppendCell(nil, s.axes[k].Label(i))
	}
	if s.labels[k][i] == nil {
		s.labels[k][i] = AppendCell(nil, s.axes[k].Label(i))
	}
	return s.labels[k][i]
}

func (s *longSink) flush() error {
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

func (s *longSink) End() error { return nil }
