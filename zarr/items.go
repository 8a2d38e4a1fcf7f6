package zarr

import (
	"context"
	"encoding/binary"
	"math"
	"reflect"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// ReadItems reads the selected elements of a data type whose elements vary in length. It returns
// them in C order, each in memory form (see package dtype). The caller owns the slice. Equal
// elements may share memory, so the caller must not change their bytes, but may append to them.
//
// ReadItems returns ErrType for other data types. It returns ErrLimit if the result takes more
// memory than concurrency.Memory. The memory is 32 bytes for each element, plus the bytes of
// elements that are neither the fill value nor equal to the preceding element.
func (a *Array) ReadItems(ctx context.Context, sel ...Selection) ([][]byte, error) {
	if err := a.varies(); err != nil {
		return nil, err
	}
	each := costOf[[]byte](a)
	r, n, err := a.selected(sel, each)
	if err != nil {
		return nil, err
	}
	p, err := a.readPacked(ctx, n, r, each)
	if err != nil {
		return nil, err
	}
	items := make([][]byte, n)
	p.slices(items)
	return items, nil
}

// readItems reads elements that vary in length into dst, whose elements are strings or slices.
func readItems[T any](ctx context.Context, a *Array, dst []T, r grid.Selection) error {
	p, err := a.readPacked(ctx, len(dst), r, costOf[T](a))
	if err != nil {
		return err
	}
	typ := a.of.Meta.DType
	switch dst := any(dst).(type) {
	case []string:
		p.texts(dst)
		return nil
	case [][]byte:
		if _, ok := typ.(dtype.VarLen); ok {
			p.slices(dst)
			return nil
		}
	}
	all := reflect.ValueOf(dst) // elements of a named type, or slices of numbers
	for i := range dst {
		v := all.Index(i)
		if p.Same(i) {
			v.Set(all.Index(i - 1))
			continue
		}
		switch t := typ.(type) {
		case dtype.Ragged:
			if err := t.Decode(v, p.At(i)); err != nil {
				return a.errf(err)
			}
		default:
			if v.Kind() == reflect.String {
				v.SetString(string(p.At(i)))
			} else {
				v.SetBytes(append([]byte{}, p.At(i)...))
			}
		}
	}
	return nil
}

// writeItems writes elements that vary in length.
func writeItems[T any](ctx context.Context, a *Array, src []T, r grid.Selection) error {
	items, err := a.of.Pipe.Items(math.MaxInt64)
	if err != nil {
		return a.errf(err)
	}
	numbers := make([]byte, 8*len(src))
	all, p := reflect.ValueOf(src), items.Packer(16*len(src))
	put := func(i int, item []byte) error {
		number, err := p.Add(item)
		binary.LittleEndian.PutUint64(numbers[8*i:], number)
		return err
	}
	switch t := a.of.Meta.DType.(type) {
	case dtype.Ragged:
		var one []byte
		for i := range src {
			if one, err = t.Append(one[:0], all.Index(i)); err != nil {
				return a.errf(err)
			}
			if err := put(i, one); err != nil {
				return a.errf(err)
			}
		}
	case dtype.VarLen:
		items := make([][]byte, 1) // memory for one item, or for all items of JSON
		if t == dtype.JSON {
			// Convert all items together, so that an error has the index of its element.
			items = make([][]byte, len(src))
			for i := range src {
				items[i] = all.Index(i).Bytes()
			}
			if err := t.Items(items); err != nil {
				return a.errf(err)
			}
		}
		for i := range src {
			item := items[i%len(items)]
			switch v := all.Index(i); {
			case t == dtype.JSON:
			case v.Kind() == reflect.String:
				item = append(item[:0], v.String()...)
				items[0] = item
			default:
				item = v.Bytes()
			}
			if err := put(i, item); err != nil {
				return a.errf(err)
			}
		}
	}
	p.Done()
	return a.of.Numbered(items).Write(ctx, numbers, r)
}
