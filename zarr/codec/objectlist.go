package codec

import (
	"errors"
	"strconv"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr/fault"
)

// compose writes elements as nested lists of the given shape. The dtype and the shape are the last
// items of the outermost list. compose returns an error unless each element is one JSON value.
func compose(items [][]byte, shape []int, typ string) ([]byte, error) {
	n := 64
	for _, b := range items {
		n += len(b) + 1
	}
	list := append(make([]byte, 0, n), '[')
	for i, b := range items {
		var err error
		for axis, step := len(shape)-1, 1; axis > 0; axis-- {
			if step *= shape[axis]; i%step == 0 {
				list = append(list, '[')
			}
		}
		if list, err = jsontext.Canon(list, b, jsontext.Strict); err != nil {
			return nil, fault.Newf(fault.Type, "element %d: %v", i, err)
		}
		for axis, step := len(shape)-1, 1; axis > 0; axis-- {
			if step *= shape[axis]; (i+1)%step == 0 {
				list = append(list, ']')
			}
		}
		list = append(list, ',')
	}
	if len(items) == 0 && len(shape) > 1 {
		return nil, fault.Newf(errors.ErrUnsupported, "an array of shape %v cannot be written as nested lists", shape)
	}
	list = append(append(list, typ...), ",["...)
	for i, d := range shape {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, int64(d), 10)
	}
	return append(list, "]]"...), nil
}

// listed is an array that was stored as nested lists.
type listed struct {
	list  []byte
	dtype string
	shape []int
	elems int
}

// parse reads the dtype and the shape at the end of the outermost list.
func parse(list []byte) (listed, error) {
	d := listed{list: list}
	if !jsontext.IsList(list) {
		return d, fault.Newf(fault.Corrupt, "the encoded value is not a list")
	}
	n := -2
	var typ, shape []byte
	for v := range jsontext.List(list) {
		typ, shape, n = shape, v, n+1
	}
	var ok bool
	if d.dtype, ok = jsontext.Unquote(typ); !ok || n < 0 || !jsontext.IsList(shape) {
		return d, fault.Newf(fault.Corrupt, "the list does not end with a dtype and a shape")
	}
	for v := range jsontext.List(shape) {
		k, err := strconv.Atoi(string(v))
		if err != nil || k < 0 || len(d.shape) == maxRank {
			return d, fault.Newf(fault.Corrupt, "invalid shape %.80s", shape)
		}
		d.shape = append(d.shape, k)
	}
	var err error
	if d.elems, err = (Repr{Shape: d.shape}).Elems(); err != nil {
		return d, fault.Newf(fault.Corrupt, "invalid shape %.80s: %v", shape, err)
	}
	first := 1
	if len(d.shape) > 0 {
		first = d.shape[0]
	}
	if n != first {
		return d, fault.Newf(fault.Corrupt, "a list of %d values does not have the shape %v", n, d.shape)
	}
	return d, nil
}

// maxRank is the maximum number of axes of a listed array. numpy has the same limit.
const maxRank = 64

// each calls do with every element, in C order. The elements are slices of d.list.
func (d listed) each(do func(item []byte) error) error {
	left, inner := 1, d.shape
	if len(inner) > 0 {
		left, inner = inner[0], inner[1:]
	}
	for v := range jsontext.List(d.list) {
		if left == 0 {
			break // the dtype
		}
		left--
		if err := leaves(v, inner, do); err != nil {
			return err
		}
	}
	return nil
}

func leaves(list []byte, shape []int, do func(item []byte) error) error {
	if len(shape) == 0 {
		return do(list)
	}
	if !jsontext.IsList(list) {
		return fault.Newf(fault.Corrupt, "%.40s is not a list of %d values", list, shape[0])
	}
	n := 0
	for v := range jsontext.List(list) {
		if n++; n > shape[0] {
			break
		}
		if err := leaves(v, shape[1:], do); err != nil {
			return err
		}
	}
	if n != shape[0] {
		return fault.Newf(fault.Corrupt, "a nested list does not have %d values", shape[0])
	}
	return nil
}
