package render

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Items is a data type for printing elements that vary in length. Instead of elements, a buffer
// contains indices of items in a zarr.Packed.
type Items struct {
	dtype.Type
	items **zarr.Packed
}

// Set sets the items to which the indices in a buffer refer. Set(nil) releases the previous items.
func (n Items) Set(p *zarr.Packed) { *n.items = p }

// Size returns the size of an index.
func (Items) Size() int { return 8 }

func (n Items) item(b []byte) []byte { return (*n.items).At(int(binary.LittleEndian.Uint64(b))) }

// Reader fills a buffer with the elements of a selection.
type Reader func(ctx context.Context, buf []byte, sel ...zarr.Selection) error

// ReaderOf returns a function that reads elements of an array for printing, and the type of the
// elements that it stores in a buffer. The type is Items if elements vary in length.
func ReaderOf(a *zarr.Array) (dtype.Type, Reader) {
	if a.DType().Size() > 0 {
		return a.DType(), func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
			return a.ReadBytes(ctx, buf, sel...)
		}
	}
	n := Items{a.DType(), new(*zarr.Packed)}
	return n, func(ctx context.Context, buf []byte, sel ...zarr.Selection) (err error) {
		*n.items, err = a.ReadPacked(ctx, sel...)
		Number(buf, 0)
		return err
	}
}

// Number fills a buffer with consecutive indices that start at first.
func Number(buf []byte, first int) {
	for i := range len(buf) / 8 {
		binary.LittleEndian.PutUint64(buf[8*i:], uint64(first+i))
	}
}

// once returns a function that formats elements like one. If an element equals the previous one,
// the function uses the text of the previous element again.
func (n Items) once(one element) element {
	var of *zarr.Packed
	var last uint64
	var text []byte
	return func(dst, b []byte) []byte {
		p, i := *n.items, binary.LittleEndian.Uint64(b)
		if p == of && i == last+1 && p.Same(int(i)) {
			last = i
			return append(dst, text...)
		}
		from := len(dst)
		dst = one(dst, b)
		of, last, text = p, i, append(text[:0], dst[from:]...)
		return dst
	}
}

// varied returns the function that formats elements of varying length.
func (s spelling) varied(n Items) (element, error) {
	one, err := s.each(n)
	return n.once(one), err
}

func (s spelling) each(n Items) (element, error) {
	switch t := n.Type.(type) {
	case dtype.VarLen:
		switch t {
		case dtype.String:
			return func(dst, b []byte) []byte { return s.text(dst, n.item(b)) }, nil
		case dtype.Bytes:
			return func(dst, b []byte) []byte { return s.bytes(dst, n.item(b)) }, nil
		}
		return func(dst, b []byte) []byte { // JSON
			if s.form == formCSV {
				return AppendCell(dst, string(n.item(b)))
			}
			return append(dst, n.item(b)...)
		}, nil
	case dtype.Ragged:
		return s.ragged(t, n)
	}
	return nil, fault.Newf(errors.ErrUnsupported, "elements of %v cannot be printed as text", n.Type)
}

// ragged returns the function that formats variable-length arrays. In JSON, the output includes the
// element type: {"array": [1, 2], "dtype": "<i4"}.
func (s spelling) ragged(t dtype.Ragged, n Items) (element, error) {
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
			return AppendCell(dst, string(list(nil, n.item(b))))
		}
		return list(dst, n.item(b))
	}, nil
}
