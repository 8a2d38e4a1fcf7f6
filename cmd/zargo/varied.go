package main

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// numbered is a data type whose elements vary in length, with the number of an item in place of each.
type numbered struct {
	dtype.Type
	items *[][]byte
}

// Size is that of a number.
func (numbered) Size() int { return 8 }

func (n numbered) item(b []byte) []byte { return (*n.items)[binary.LittleEndian.Uint64(b)] }

// reader fills a buffer with the elements of a selection.
type reader func(ctx context.Context, buf []byte, sel ...zarr.Selection) error

// readerOf gives how an array's elements are read for printing, and the type of what is then in the buffer.
func readerOf(a *zarr.Array) (dtype.Type, reader) {
	if a.DType().Size() > 0 {
		return a.DType(), func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
			return zarr.ReadBytes(ctx, a, buf, sel...)
		}
	}
	n := numbered{a.DType(), new([][]byte)}
	return n, func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		items, err := zarr.ReadItems(ctx, a, sel...)
		if err != nil {
			return err
		}
		*n.items = items
		for i := range items {
			binary.LittleEndian.PutUint64(buf[8*i:], uint64(i))
		}
		return nil
	}
}

// varied gives how elements are written that vary in length.
func (s spelling) varied(n numbered) (element, error) {
	switch t := n.Type.(type) {
	case dtype.Vary:
		switch t {
		case dtype.String:
			return func(dst, b []byte) []byte { return s.text(dst, n.item(b)) }, nil
		case dtype.Bytes:
			return func(dst, b []byte) []byte { return s.bytes(dst, n.item(b)) }, nil
		}
		return func(dst, b []byte) []byte { // JSON
			if s.form == formCSV {
				return appendCell(dst, string(n.item(b)))
			}
			return append(dst, n.item(b)...)
		}, nil
	case dtype.Ragged:
		return s.ragged(t, n)
	}
	return nil, fault.Newf(errors.ErrUnsupported, "%v elements as text", n.Type)
}

// ragged writes arrays: in JSON with what they are of, as {"array": [1, 2], "dtype": "<i4"}.
func (s spelling) ragged(t dtype.Ragged, n numbered) (element, error) {
	inner := s
	if s.form == formCSV {
		inner = textSpelling()
	}
	one, err := elements(t.Elem, inner)
	if err != nil {
		return nil, err
	}
	v2, err := t.ElemV2()
	if err != nil {
		return nil, err
	}
	list := func(dst, item []byte) []byte {
		dst = append(dst, '[')
		for size, i := t.Elem.Size(), 0; i < len(item); i += size {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = one(dst, item[i:i+size])
		}
		return append(dst, ']')
	}
	return func(dst, b []byte) []byte {
		switch s.form {
		case formJSON:
			dst = list(append(dst, `{"array": `...), n.item(b))
			return append(append(append(dst, `, "dtype": `...), v2...), '}')
		case formCSV:
			return appendCell(dst, string(list(nil, n.item(b))))
		}
		return list(dst, n.item(b))
	}, nil
}
