package dtype

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Ragged is a data type whose elements are arrays of one axis and any length: "|O" with the codec
// vlen-array in v2. Size is 0; an element is the memory form of those of its array, one after
// another, and the fill value is no array.
type Ragged struct {
	Elem  Type  // of a fixed size
	Order Order // in which numbers are stored; of no account in memory
}

// RaggedOf is the type of arrays of elem. fault.Metadata when its elements have no fixed size, or
// numbers of more than one byte no order.
func RaggedOf(elem Type, order Order) (Ragged, error) {
	if elem == nil || elem.Size() == 0 {
		return Ragged{}, fault.Newf(fault.Metadata, "arrays of %v, which has no fixed size", elem)
	}
	if _, ok := elem.(*Struct); !ok && elem.HasOrder() != (order != NoOrder) {
		return Ragged{}, fault.Newf(fault.Metadata, "arrays of %v in byte order %v", elem, order)
	}
	return Ragged{elem, order}, nil
}

// String is "ragged" and what the arrays are of, as v2 spells it.
func (t Ragged) String() string {
	v2, err := t.ElemV2()
	if err != nil {
		return "ragged " + t.Elem.String()
	}
	return "ragged " + strings.Trim(string(v2), `"`)
}

// ElemV2 is the v2 "dtype" of what the arrays are of.
func (t Ragged) ElemV2() (json.RawMessage, error) { return t.Elem.V2(t.Order) }

// Size is 0.
func (Ragged) Size() int { return 0 }

// Go is a slice of the element's Go type.
func (t Ragged) Go() reflect.Type { return reflect.SliceOf(t.Elem.Go()) }

// Fits takes slices of what fits the element.
func (t Ragged) Fits(g reflect.Type) bool { return g.Kind() == reflect.Slice && t.Elem.Fits(g.Elem()) }

// HasOrder is false: the codec has the order.
func (Ragged) HasOrder() bool { return false }

// Swap does nothing.
func (Ragged) Swap([]byte) {}

// Canon does nothing.
func (Ragged) Canon([]byte) {}

// DefaultFill is an array without elements.
func (Ragged) DefaultFill() []byte { return []byte{} }

// ParseFill reads 0, which writers have there, as an array without elements; there is no other fill
// value.
func (Ragged) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	if s := strings.TrimSpace(string(raw)); !isZero(raw, format) && s != `""` && s != "[]" {
		return nil, fault.Newf(fault.Metadata, "fill value %s of arrays", abbreviate(raw))
	}
	return []byte{}, nil
}

// FormatFill writes 0.
func (Ragged) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	if len(fill) > 0 {
		return nil, fault.Newf(fault.Metadata, "a fill value of arrays that is no array without elements")
	}
	return json.RawMessage("0"), nil
}

// V2 is "|O"; the codec says the rest.
func (Ragged) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|O"`), nil }

// V3 is errors.ErrUnsupported: v3 has no such data type.
func (Ragged) V3() (json.RawMessage, error) {
	return nil, fault.Newf(errors.ErrUnsupported, "v3 has no data type for arrays as elements")
}

// Append appends the memory form of a Go slice that fits.
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

// Decode sets v, a settable Go slice that fits, to a new one with the elements of the memory form
// b.
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

// plainSlice is the slice of a predeclared type of number that a type of slice is or has its name
// for, which encoding/binary copies bit for bit; nil for others.
func plainSlice(t reflect.Type) reflect.Type {
	if k := kindType(t.Elem().Kind()); k == t.Elem() {
		return reflect.SliceOf(k)
	}
	return nil
}
