package zarr

import (
	"context"
	"reflect"
	"unicode/utf8"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ReadAs returns the selected elements of the array in C order, each converted to T. T may differ
// from the Go type that [Read] requires. The conversion is exact: ReadAs returns ErrType if T
// cannot represent an element, such as 0.1 of a float64 as float32, 300 as int8, or NaN as an
// integer. The error contains the index of the element.
//
// [dtype.Convert] lists the conversions. In addition, text and bytes of varying length convert to
// each other if the bytes are UTF-8, and JSON strings convert to strings.
//
// ReadAs returns ErrLimit if the elements, before and after conversion, take more memory than
// concurrency.Memory.
func ReadAs[T any](ctx context.Context, a *Array, sel ...Selection) ([]T, error) {
	t, to := a.of.Meta.DType, reflect.TypeFor[T]()
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

// costOfAs is costOf for [ReadAs]. If elements are converted, it adds the size of their source.
func costOfAs[T any](a *Array) int64 {
	t, to := a.of.Meta.DType, reflect.TypeFor[T]()
	if t.Size() > 0 && !t.Fits(to) {
		return int64(t.Size()) + int64(to.Size())
	}
	return costOf[T](a)
}

// converts returns fault.Type if elements of the array cannot be converted to T.
func converts[T any](a *Array) error {
	t, to := a.of.Meta.DType, reflect.TypeFor[T]()
	if vary, ok := t.(dtype.VarLen); ok {
		if !asText[T](vary) && !(vary == dtype.String && dtype.Bytes.Fits(to)) {
			return a.errf(fault.Newf(fault.Type, "elements of data type %v cannot be converted to %v", t, to))
		}
		return nil
	}
	if err := dtype.Converts(t, to); err != nil {
		return a.errf(err)
	}
	return nil
}

// asText reports whether reading elements of type t as Ts converts bytes or JSON to text.
func asText[T any](t dtype.VarLen) bool {
	return t != dtype.String && dtype.String.Fits(reflect.TypeFor[T]())
}

// readAs reads the elements of a region into dst and converts them.
func readAs[T any](ctx context.Context, a *Array, dst []T, r grid.Selection) error {
	t := a.of.Meta.DType
	if vary, ok := t.(dtype.VarLen); ok {
		return itemsAs(ctx, a, vary, dst, r)
	}
	b, advice := alloc[byte](len(dst) * t.Size())
	defer advice.Undo()
	if err := a.of.Read(ctx, b, r); err != nil {
		return err
	}
	if err := dtype.Convert(t, dst, b); err != nil {
		return a.errf(err)
	}
	return nil
}

// itemsAs reads text as bytes, bytes as text, or JSON strings as text.
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
			text, ok = jsontext.Unquote(b)
		} else if ok {
			text = string(b)
		}
		if !ok {
			return a.errf(fault.Newf(fault.Type, "element %d of data type %v cannot be converted to %v: %.40q is not text", i, t, reflect.TypeFor[T](), b))
		}
		v.SetString(text)
	}
	return nil
}
