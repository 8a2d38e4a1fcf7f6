package serve

import (
	"bufio"
	"encoding/json"
	"iter"
	"net/http"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
)

// document is a JSON document that is sent while it is written, so that its lists may be longer than
// memory. Flush returns the first error of all writes.
type document struct{ *bufio.Writer }

// stream begins a response of unknown length. It returns nil for HEAD.
func (c *call) stream(contentType string) *bufio.Writer {
	c.w.Header().Set("Content-Type", contentType)
	if c.Method == http.MethodHead {
		c.w.WriteHeader(http.StatusOK)
		return nil
	}
	return bufio.NewWriterSize(c.w, 1<<16)
}

// text writes a part of the document.
func (d document) text(s string) { _, _ = d.WriteString(s) }

// value writes a name or a short value.
func (d document) value(v any) error {
	b, err := json.Marshal(v)
	_, _ = d.Write(b)
	return err
}

// member writes the name of a member. i is the number of members before it.
func (d document) member(i int, name string) {
	if i > 0 {
		_ = d.WriteByte(',')
	}
	_, _ = d.Write(append(appendString(nil, name), ':'))
}

// list writes values as nested lists of a shape. The empty shape is that of one value. Each pair is a
// number of values, and a function that appends the i-th of them.
func (d document) list(shape []int, values iter.Seq2[func(dst []byte, i int) []byte, int]) error {
	l := lists{shape: shape, at: make([]int, len(shape))}
	var buf []byte
	var err error
	some := false
	for appendTo, n := range values {
		for i := range n {
			some, buf = true, l.close(appendTo(l.open(buf), i))
			if len(buf) > 1<<15 {
				if _, err = d.Write(buf); err != nil {
					return err
				}
				buf = buf[:0]
			}
		}
	}
	if !some {
		return d.empty(shape)
	}
	_, err = d.Write(buf)
	return err
}

// sequence returns n values for list.
func sequence(appendTo func(dst []byte, i int) []byte, n int) iter.Seq2[func([]byte, int) []byte, int] {
	return func(yield func(func([]byte, int) []byte, int) bool) { yield(appendTo, n) }
}

// empty writes the lists of a shape without values.
func (d document) empty(shape []int) error {
	if len(shape) == 0 {
		return nil
	}
	_ = d.WriteByte('[')
	for i := range shape[0] {
		if i > 0 {
			_ = d.WriteByte(',')
		}
		if err := d.empty(shape[1:]); err != nil {
			return err
		}
	}
	return d.WriteByte(']') // returns the first error of all writes
}

// lists writes the brackets and commas around the elements of nested lists.
type lists struct{ shape, at []int }

func (l *lists) open(dst []byte) []byte {
	k := len(l.at)
	for k > 0 && l.at[k-1] == 0 {
		k--
	}
	if k > 0 {
		dst = append(dst, ',')
	}
	for range len(l.at) - k {
		dst = append(dst, '[')
	}
	return dst
}

func (l *lists) close(dst []byte) []byte {
	for k := len(l.at) - 1; k >= 0; k-- {
		if l.at[k]++; l.at[k] < l.shape[k] {
			break
		}
		l.at[k] = 0
		dst = append(dst, ']')
	}
	return dst
}

// appendLabel appends a label as JSON: a number, a bool or a text; null is NaN, an infinity or NaT.
func appendLabel(dst []byte, x *dataset.Index, i int) []byte {
	switch v := x.Value(i).(type) {
	case float64:
		if v-v != 0 {
			return append(dst, "null"...)
		}
		return append(dst, x.Label(i)...)
	case int64, uint64, bool:
		return append(dst, x.Label(i)...)
	case cf.Time:
		return times{v}.appendJSON(dst, 0)
	}
	return appendString(dst, x.Label(i))
}
