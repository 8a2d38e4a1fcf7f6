package zarr

import (
	"context"
	"reflect"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ReadAs returns what sel selects of the array, in C order, converted to Ts one by one, where Read wants T to be the data
// type's own. Nothing is lost: an element that T does not hold exactly, 0.1 of a float64 as float32, 300 as int8, NaN as
// an integer, is ErrType with its place. See [dtype.Convert] for what goes to what; text and bytes of varying length
// go to each other where the bytes are UTF-8, and elements of JSON that are strings to strings. A
// selection that takes more than concurrency.Memory, as it is read and as Ts, is ErrLimit.
func ReadAs[T any](ctx context.Context, a *Array, sel ...Selection) ([]T, error) {
	t, to := a.meta.DType, reflect.TypeFor[T]()
	if t.Fits(to) {
		return Read[T](ctx, a, sel...)
	}
	if vary, ok := t.(dtype.VarLen); ok {
		return itemsAs[T](ctx, a, vary, sel)
	}
	if err := dtype.Converts(t, to); err != nil {
		return nil, a.errf(err)
	}
	r, n, err := a.selected(sel, int64(t.Size())+int64(to.Size()))
	if err != nil {
		return nil, err
	}
	b, advice := room[byte](n * t.Size())
	defer advice.Undo()
	if err := a.read(ctx, b, r); err != nil {
		return nil, err
	}
	dst := make([]T, n)
	if err := dtype.Convert(t, dst, b); err != nil {
		return nil, a.errf(err)
	}
	return dst, nil
}

// itemsAs reads text as bytes, bytes as text, or the text of strings in JSON.
func itemsAs[T any](ctx context.Context, a *Array, t dtype.VarLen, sel []Selection) ([]T, error) {
	to := reflect.TypeFor[T]()
	toText := t != dtype.String && dtype.String.Fits(to)
	if !toText && !(t == dtype.String && dtype.Bytes.Fits(to)) {
		return nil, a.errf(fault.Newf(fault.Type, "elements of %v are not converted to %v", t, to))
	}
	each := costOf[T](a)
	r, n, err := a.selected(sel, each)
	if err != nil {
		return nil, err
	}
	p, err := a.readPacked(ctx, n, r, each)
	if err != nil {
		return nil, err
	}
	dst := make([]T, n)
	if items, ok := any(dst).([][]byte); ok && !toText {
		p.slices(items)
		return dst, nil
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
			return nil, a.errf(fault.Newf(fault.Type, "element %d of %v as %v: %.40q is no text", i, t, to, b))
		}
		v.SetString(text)
	}
	return dst, nil
}
