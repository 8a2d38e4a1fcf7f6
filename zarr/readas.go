package zarr

import (
	"context"
	"reflect"
	"unicode/utf8"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// ReadAs returns what sel selects of the array, in C order, converted to Ts one by one, where Read wants T to be the data
// type's own. Nothing is lost: an element that T does not hold exactly, 0.1 of a float64 as float32, 300 as int8, NaN as
// an integer, is ErrType and tells its place. See [dtype.Convert] for what goes to what; text and bytes of varying length
// go to each other where the bytes are UTF-8, and elements of JSON that are strings to strings. A selection of more bytes than concurrency.Memory is ErrLimit.
func ReadAs[T any](ctx context.Context, a *Array, sel ...Selection) ([]T, error) {
	t, to := a.meta.DType, reflect.TypeFor[T]()
	if t.Fits(to) {
		return Read[T](ctx, a, sel...)
	}
	if vary, ok := t.(dtype.Vary); ok {
		return itemsAs[T](ctx, a, vary, sel)
	}
	if err := dtype.Converts(t, to); err != nil {
		return nil, a.errf(err)
	}
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	n, err := a.sized(r)
	if err != nil {
		return nil, err
	}
	if bytes := int64(n) * int64(t.Size()); bytes > concurrency.Memory() {
		return nil, a.errf(fault.Newf(fault.Limit, "the selection has %d bytes, more than this process may use", bytes))
	}
	b := make([]byte, n*t.Size())
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
func itemsAs[T any](ctx context.Context, a *Array, t dtype.Vary, sel []Selection) ([]T, error) {
	to := reflect.TypeFor[T]()
	toText := t != dtype.String && dtype.String.Fits(to)
	if !toText && !(t == dtype.String && dtype.Bytes.Fits(to)) {
		return nil, a.errf(fault.Newf(fault.Type, "elements of %v are not converted to %v", t, to))
	}
	if !toText {
		texts, err := Read[string](ctx, a, sel...)
		dst := make([]T, len(texts))
		for i, s := range texts {
			reflect.ValueOf(&dst[i]).Elem().SetBytes([]byte(s))
		}
		return dst, err
	}
	all, err := Read[[]byte](ctx, a, sel...)
	dst := make([]T, len(all))
	for i, b := range all {
		text, ok := string(b), utf8.Valid(b)
		if t == dtype.JSON {
			text, ok = dtype.Unquote(b)
		}
		if !ok {
			return nil, a.errf(fault.Newf(fault.Type, "element %d of %v as %v: %.40q is no text", i, t, to, b))
		}
		reflect.ValueOf(&dst[i]).Elem().SetString(text)
	}
	return dst, err
}
