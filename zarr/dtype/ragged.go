package dtype

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Ragged is a data type whose elements are one-dimensional arrays of any length: "|O" with the
// codec vlen-array in v2. Its Size is 0. The memory form of an array is that of its elements, one
// after another. The only fill value is the empty array.
type Ragged struct {
	Elem  Type  // has a fixed size
	Order Order // byte order of the stored numbers; does not affect the memory form
}

// RaggedOf returns the type of arrays of elem. It returns fault.Metadata if elem lacks a fixed
// size, or if only one of elem and order has a byte order. The order of structures is not checked.
func RaggedOf(elem Type, order Order) (Ragged, error) {
	if elem == nil || elem.Size() == 0 {
		return Ragged{}, fault.Newf(fault.Metadata, "elements of arrays must have a fixed size, are %v", elem)
	}
	if _, ok := elem.(*Struct); !ok && elem.HasOrder() != (order != NoOrder) {
		return Ragged{}, fault.Newf(fault.Metadata, "arrays of %v cannot have byte order %v", elem, order)
	}
	return Ragged{elem, order}, nil
}

// String returns "ragged" and the v2 name of the element type.
func (t Ragged) String() string {
	v2, err := t.ElemV2()
	if err != nil {
		return "ragged " + t.Elem.String()
	}
	return "ragged " + strings.Trim(string(v2), `"`)
}

// ElemV2 returns the v2 "dtype" of the element type.
func (t Ragged) ElemV2() (json.RawMessage, error) { return t.Elem.V2(t.Order) }

// Size returns 0.
func (Ragged) Size() int { return 0 }

// Go returns a slice of the element's Go type.
func (t Ragged) Go() reflect.Type { return reflect.SliceOf(t.Elem.Go()) }

// Fits reports whether g is a slice of a type that fits the element type.
func (t Ragged) Fits(g reflect.Type) bool { return g.Kind() == reflect.Slice && t.Elem.Fits(g.Elem()) }

// HasOrder returns false, because the codec applies the byte order.
func (Ragged) HasOrder() bool { return false }

// Swap does nothing.
func (Ragged) Swap([]byte) {}

// Canon does nothing.
func (Ragged) Canon([]byte) {}

// DefaultFill returns the empty array.
func (Ragged) DefaultFill() []byte { return []byte{} }

// ParseFill parses 0, which writers use for the empty array. It also accepts "" and [].
func (Ragged) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	if s := strings.TrimSpace(string(raw)); !isZero(raw, format) && s != `""` && s != "[]" {
		return nil, fault.Newf(fault.Metadata, "fill value %s is not the empty array", abbreviate(raw))
	}
	return []byte{}, nil
}

// FormatFill returns 0 for the empty array.
func (Ragged) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	if len(fill) > 0 {
		return nil, fault.Newf(fault.Metadata, "the fill value must be the empty array, has %d bytes", len(fill))
	}
	return json.RawMessage("0"), nil
}

// V2 returns "|O". The codec determines the rest.
func (Ragged) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|O"`), nil }

// V3 returns errors.ErrUnsupported, because v3 lacks this data type.
func (Ragged) V3() (json.RawMessage, error) {
	return nil, fault.Newf(errors.ErrUnsupported, "v3 has no data type for arrays as elements")
}

// Append appends the memory form of v, a Go slice that fits t.
func (t Ragged) Append(dst []byte, v reflect.Value) ([]byte, error) {
	if to := plainSlice(v.Type()); to != nil {
		return binary.Append(dst, binary.LittleEndian, v.Convert(to).Interface())
	}
	one := make([]byte, t.Elem.Size())
	for i := range v.Len() {
		if err := Encode(t.Elem, one, v.Index(i)); err != nil {
			return dst, err
		}
		dst = append(dst, one...)
	}
	return dst, nil
}

// Decode sets v to a new slice with the elements of b. v is a settable Go slice that fits t, and b
// is in memory form.
func (t Ragged) Decode(v reflect.Value, b []byte) error {
	n := len(b) / t.Elem.Size()
	s := reflect.MakeSlice(v.Type(), n, n)
	v.Set(s)
	if to := plainSlice(v.Type()); to != nil {
		_, err := binary.Decode(b, binary.LittleEndian, s.Convert(to).Interface())
		return err
	}
	for i := range n {
		if err := Decode(t.Elem, s.Index(i), b[i*t.Elem.Size():(i+1)*t.Elem.Size()]); err != nil {
			return err
		}
	}
	return nil
}

// plainSlice returns t's underlying type if its elements have a predeclared number type, which
// encoding/binary copies bit for bit. Otherwise it returns nil.
func plainSlice(t reflect.Type) reflect.Type {
	if k := kindType(t.Elem().Kind()); k == t.Elem() {
		return reflect.SliceOf(k)
	}
	return nil
}
