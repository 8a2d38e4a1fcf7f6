package main

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// numbered is a data type whose elements vary in length, with the number of an item in place of
// each.
type numbered struct {
	dtype.Type
	items **zarr.Packed
}

// Size is that of a number.
func (numbered) Size() int { return 8 }

func (n numbered) item(b []byte) []byte { return (*n.items).At(int(binary.LittleEndian.Uint64(b))) }

// reader fills a buffer with the elements of a selection.
type reader func(ctx context.Context, buf []byte, sel ...zarr.Selection) error

// readerOf gives how an array's elements are read for printing, and the type of what is then in the
// buffer.
func readerOf(a *zarr.Array) (dtype.Type, reader) {
	if a.DType().Size() > 0 {
		return a.DType(), func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
			return a.ReadBytes(ctx, buf, sel...)
		}
	}
	n := numbered{a.DType(), new(*zarr.Packed)}
	return n, func(ctx context.Context, buf []byte, sel ...zarr.Selection) (err error) {
		*n.items, err = a.ReadPacked(ctx, sel...)
		number(buf, 0)
		return err
	}
}

// number sets a buffer to numbers from first on.
func number(buf []byte, first int) {
	for i := range len(buf) / 8 {
		binary.LittleEndian.PutUint64(buf[8*i:], uint64(first+i))
	}
}

// stream reads an array band by band, and passes its elements to write in C order. A band has no
// more than most bytes, unless the array has longer chunks. A chunk of a longer row of chunks is
// read once for each band that has a part of it.
func stream(ctx context.Context, a *zarr.Array, r region, most int64, t dtype.Type, read reader, write func(elems []byte) error) error {
	total, err := r.bytes(t.Size())
	if err != nil {
		return err
	}
	if n, ok := t.(numbered); ok {
		return streamItems(ctx, a, r, most, n, write)
	}
	target := min(most, maxBand)
	c := cutter{chunksOf(a), t.Size(), always(target), always(most)}
	var buf []byte
	for b := range heldBands(ctx, a, r, c) {
		if cap(buf) < b.bytes {
			buf = make([]byte, max(int64(b.bytes), min(total, target)))
		}
		buf = buf[:b.bytes]
		if err := read(ctx, buf, b.selections()...); err != nil {
			return err
		}
		if err := write(buf); err != nil {
			return err
		}
	}
	return nil
}

const (
	// itemBand is how many bytes of elements that vary in length are held at a time.
	itemBand = 64 << 20
	// firstItems is how many elements are read first, before any length is known.
	firstItems = 1 << 16
)

// streamItems is stream for elements that vary in length. Lengths are unknown before reading: it
// begins with one row of chunks of at most firstItems elements, and takes up to eight times as many
// each time, while they are as short as those before.
func streamItems(ctx context.Context, a *zarr.Array, r region, most int64, n numbered, write func(elems []byte) error) error {
	most = min(most, itemBand)
	elems, fit := int64(1), int64(firstItems)
	size := int64(n.Size())
	c := cutter{chunksOf(a), n.Size(), func() int64 { return size * min(elems, fit) }, func() int64 { return size * fit }}
	buf := make([]byte, size<<12)
	for b := range heldBands(ctx, a, r, c) {
		*n.items = nil // before there are others
		p, err := a.ReadPacked(ctx, b.selections()...)
		if err != nil {
			return err
		}
		*n.items = p
		for i := 0; i < p.Len(); i += len(buf) / n.Size() {
			piece := buf[:min(len(buf), n.Size()*(p.Len()-i))]
			number(piece, i)
			if err := write(piece); err != nil {
				return err
			}
		}
		each := max(p.Bytes()/int64(p.Len()), size)
		elems, fit = 8*int64(p.Len()), max(min(8*fit, most/each), 1)
	}
	return nil
}

// once spells an element that is the same as the one before it no second time.
func (n numbered) once(one element) element {
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

// varied gives how elements are written that vary in length.
func (s spelling) varied(n numbered) (element, error) {
	one, err := s.each(n)
	return n.once(one), err
}

func (s spelling) each(n numbered) (element, error) {
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
