package zarr

import (
	"context"
	"reflect"
	"unicode/utf8"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ReadAs returns what sel selects of the array, in C order, converted to Ts one by one, where Read
// wants T to be the data type's own. Nothing is lost: an element that T does not hold exactly, 0.1
// of a float64 as float32, 300 as int8, NaN as an integer, is ErrType with its place. See
// [dtype.Convert] for what goes to what; text and bytes of varying length go to each other where
// the bytes are UTF-8, and elements of JSON that are strings to strings. A selection that takes
// more than concurrency.Memory, as it is read and as Ts, is ErrLimit.
func ReadAs[T any](ctx context.Context, a *Array, sel ...Selection) ([]T, error) {
	t, to := a.meta.DType, reflect.TypeFor[T]()
	if t.Fits(to) {
		return Read[T](ctx, a, sel...)
	}
	if err := converts[T](a); err != nil {
		return nil, err
	}
	r, n, err := a.selected(sel, costOfAs[T](a))
	if err != nil {
		return nil, err
	}
	dst := make([]T, n)
	if err := readAs(ctx, a, dst, r); err != nil {
		return nil, err
	}
	return dst, nil
}

// costOfAs is costOf for elements that may be converted: they are read first.
func costOfAs[T any](a *Array) int64 {
	t, to := a.meta.DType, reflect.TypeFor[T]()
	if t.Size() > 0 && !t.Fits(to) {
		return int64(t.Size()) + int64(to.Size())
	}
	return costOf[T](a)
}

// converts refuses, with fault.Type, a T that no element is converted to.
func converts[T any](a *Array) error {
	t, to := a.meta.DType, reflect.TypeFor[T]()
	if vary, ok := t.(dtype.VarLen); ok {
		if !asText[T](vary) && !(vary == dtype.String && dtype.Bytes.Fits(to)) {
			return a.errf(fault.Newf(fault.Type, "elements of %v are not converted to %v", t, to))
		}
		return nil
	}
	if err := dtype.Converts(t, to); err != nil {
		return a.errf(err)
	}
	return nil
}

// asText reports whether bytes or JSON are converted to text.
func asText[T any](t dtype.VarLen) bool {
	return t != dtype.String && dtype.String.Fits(reflect.TypeFor[T]())
}

// readAs fills dst with the elements of a region, converted.
func readAs[T any](ctx context.Context, a *Array, dst []T, r grid.Selection) error {
	t := a.meta.DType
	if vary, ok := t.(dtype.VarLen); ok {
		return itemsAs(ctx, a, vary, dst, r)
	}
	b, advice := room[byte](len(dst) * t.Size())
	defer advice.Undo()
	if err := a.read(ctx, b, r); err != nil {
		return err
	}
	if err := dtype.Convert(t, dst, b); err != nil {
		return a.errf(err)
	}
	return nil
}

// itemsAs reads text as bytes, bytes as text, or the text of strings in JSON.
func itemsAs[T any](ctx context.Context, a *Array, t dtype.VarLen, dst []T, r grid.Selection) error {
	toText := asText[T](t)
	p, err := a.readPacked(ctx, len(dst), r, costOf[T](a))
	if err != nil {
		return err
	}
	if items, ok := any(dst).([][]byte); ok && !toText {
		p.slices(items)
		return nil
	}
	for i := range dst {
		if p.Same(i) {
			dst[i] = dst[i-1]
			continue
		}
		v, b := reflect.ValueOf(&dst[i]).Elem(), p.At(i)
		if !toText {
			v.SetBytes(append([]byte{}, b...))
			continue
		}
		text, ok := "", utf8.Valid(b)
		if t == dtype.JSON {
			text, ok = dtype.Unquote(b)
		} else if ok {
			text = string(b)
		}
		if !ok {
			return a.errf(fault.Newf(fault.Type, "element %d of %v as %v: %.40q is no text", i, t, reflect.TypeFor[T](), b))
		}
		v.SetString(text)
	}
	return nil
}
