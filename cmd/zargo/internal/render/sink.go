package render

import (
	"errors"
	"io"
	"strconv"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Sink prints the elements of an array. Write receives them band by band, in C order and memory
// form.
type Sink interface {
	Begin() error
	Write(elems []byte) error // whole elements
	End() error
}

// NewSink returns a sink for an array with elements of type t and the given shape. format is raw,
// npy, csv or json. [ReaderOf] returns the type t of an array.
func NewSink(format string, w io.Writer, t dtype.Type, shape []int) (Sink, error) {
	switch format {
	case "raw":
		if _, varied := t.(Items); varied {
			return nil, fault.Newf(errors.ErrUnsupported, "elements of %v vary in length and have no raw form: use the format json", t)
		}
		return &rawSink{w: w}, nil
	case "npy":
		if d, ok := t.(Decoded); ok {
			t = d.Type
		}
		t, _, _ = dtype.Uniform(t) // the output is little-endian
		head, err := npy.AppendHeader(nil, npy.Header{Type: t, Order: dtype.Little, Shape: shape})
		return &rawSink{w: w, head: head}, err
	case "csv":
		one, err := elements(t, csvSpelling())
		return &csvSink{counter: newCounter(shape), w: w, one: one, size: t.Size()}, err
	}
	one, err := elements(t, jsonSpelling())
	return &jsonSink{counter: newCounter(shape), w: w, one: one, size: t.Size()}, err
}

// rawSink writes elements in memory form. For npy it writes a header first.
type rawSink struct {
	w    io.Writer
	head []byte
}

func (s *rawSink) Begin() error {
	_, err := s.w.Write(s.head)
	return err
}

func (s *rawSink) Write(elems []byte) error {
	_, err := s.w.Write(elems)
	return err
}

func (s *rawSink) End() error { return nil }

// counter is the index of the next element.
type counter struct{ shape, index []int }

func newCounter(shape []int) counter { return counter{shape, make([]int, len(shape))} }

// opens returns the number of axes, counted from the last, along which the next element is the
// first.
func (c *counter) opens() int {
	n := 0
	for n < len(c.index) && c.index[len(c.index)-1-n] == 0 {
		n++
	}
	return n
}

// next moves to the next element. It returns the number of axes, counted from the last, whose end
// it passed.
func (c *counter) next() int {
	for n := range c.index {
		k := len(c.index) - 1 - n
		if c.index[k]++; c.index[k] < c.shape[k] {
			return n
		}
		c.index[k] = 0
	}
	return len(c.index)
}

// jsonSink writes nested lists.
type jsonSink struct {
	counter
	w     io.Writer
	one   element
	size  int
	begun bool
	buf   []byte
}

func (s *jsonSink) Begin() error { return nil }

func (s *jsonSink) Write(elems []byte) error {
	rank := len(s.shape)
	for ; len(elems) > 0; elems = elems[s.size:] {
		opens := s.opens()
		if opens < rank {
			s.buf = append(s.buf, ", "...)
		}
		for range opens {
			s.buf = append(s.buf, '[')
		}
		s.buf = s.one(s.buf, elems[:s.size])
		for range s.next() {
			s.buf = append(s.buf, ']')
		}
		s.begun = true
		if err := s.flush(1 << 15); err != nil {
			return err
		}
	}
	return s.flush(0)
}

// flush writes the buffer if the buffer is longer than above.
func (s *jsonSink) flush(above int) error {
	if len(s.buf) <= above {
		return nil
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

func (s *jsonSink) End() error {
	if !s.begun {
		if err := s.empty(s.shape); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, '\n')
	return s.flush(0)
}

// empty writes the nested lists of an array without elements, down to the first axis of length 0.
func (s *jsonSink) empty(shape []int) error {
	s.buf = append(s.buf, '[')
	for i := range shape[0] {
		if i > 0 {
			s.buf = append(s.buf, ", "...)
		}
		if err := s.empty(shape[1:]); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, ']')
	return s.flush(1 << 15)
}

// csvSink writes CSV. For an array with one axis it writes one value per line, and for two axes one
// row per line. For more axes it writes one value per line, after the indices of the value. Numbers
// and indices need no quotes.
type csvSink struct {
	counter
	w    io.Writer
	one  element
	size int
	buf  []byte
}

func (s *csvSink) Begin() error { return nil }

func (s *csvSink) Write(elems []byte) error {
	rank := len(s.shape)
	for ; len(elems) > 0; elems = elems[s.size:] {
		if rank > 2 {
			for _, i := range s.index {
				s.buf = strconv.AppendInt(s.buf, int64(i), 10)
				s.buf = append(s.buf, ',')
			}
		}
		from := len(s.buf)
		s.buf = s.one(s.buf, elems[:s.size])
		if len(s.buf) == from && (rank < 2 || rank == 2 && s.shape[1] == 1) {
			s.buf = append(s.buf, `""`...) // readers of CSV skip empty lines
		}
		if ended := s.next(); rank == 2 && ended == 0 {
			s.buf = append(s.buf, ',')
		} else {
			s.buf = append(s.buf, '\n')
		}
		if len(s.buf) > 1<<15 {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return s.flush()
}

func (s *csvSink) flush() error {
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

func (s *csvSink) End() error { return nil }
