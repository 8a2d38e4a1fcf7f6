package dtype

import (
	"encoding/binary"
	"reflect"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Encode writes the memory form of v to b, which has the size of an element of t. It returns
// fault.Type if the type of v does not fit t. For values whose Go type does not determine the
// bytes, such as strings for a type of fixed length, see [Value].
func Encode(t Type, b []byte, v reflect.Value) error {
	if s, ok := t.(*Struct); ok {
		return s.walk(b, v, Encode)
	}
	if v.Kind() == reflect.Array {
		step := len(b) / max(v.Len(), 1)
		for i := range v.Len() {
			if err := Encode(t, b[i*step:(i+1)*step], v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if k := kindType(v.Kind()); k != nil {
		v = v.Convert(k) // encoding/binary keeps the bits of a NaN only for predeclared types
	}
	n, err := binary.Encode(b, binary.LittleEndian, v.Interface())
	if err != nil || n != len(b) {
		return fault.Newf(fault.Type, "a value of type %v does not fit %v", v.Type(), t)
	}
	return nil
}

// Decode sets v to the element of t with the memory form b. v must be settable. Decode returns
// fault.Type if the type of v does not fit t.
func Decode(t Type, v reflect.Value, b []byte) error {
	if s, ok := t.(*Struct); ok {
		return s.walk(b, v, func(t Type, b []byte, v reflect.Value) error { return Decode(t, v, b) })
	}
	if v.Kind() == reflect.Array {
		step := len(b) / max(v.Len(), 1)
		for i := range v.Len() {
			if err := Decode(t, v.Index(i), b[i*step:(i+1)*step]); err != nil {
				return err
			}
		}
		return nil
	}
	of := v.Type()
	if k := kindType(v.Kind()); k != nil {
		of = k
	}
	one := reflect.New(of)
	n, err := binary.Decode(b, binary.LittleEndian, one.Interface())
	if err != nil || n != len(b) {
		return fault.Newf(fault.Type, "an element of %v does not fit type %v", t, v.Type())
	}
	v.Set(one.Elem().Convert(v.Type()))
	return nil
}

// kindType returns the predeclared type of a kind of number, or nil for other kinds.
func kindType(k reflect.Kind) reflect.Type {
	for b := range basics {
		if b > Complex128 {
			break
		}
		if t := b.Go(); t.Kind() == k && t != reflect.TypeFor[F16]() {
			return t
		}
	}
	return nil
}

// walk calls visit for every value in every field of an element.
func (s *Struct) walk(b []byte, v reflect.Value, visit func(Type, []byte, reflect.Value) error) error {
	if v.Kind() != reflect.Struct {
		return fault.Newf(fault.Type, "%v is not a struct", v.Type())
	}
	for _, g := range goFields(v.Type()) {
		name, _ := label(g)
		f, _, ok := s.Lookup(name)
		if !ok {
			return fault.Newf(fault.Type, "%v has no field %.40q", s, name)
		}
		if err := f.walk(b[f.Offset:f.Offset+f.Size()], v.FieldByIndex(g.Index), len(f.Shape), visit); err != nil {
			return err
		}
	}
	return nil
}

func (f Field) walk(b []byte, v reflect.Value, axes int, visit func(Type, []byte, reflect.Value) error) error {
	if axes == 0 {
		return visit(f.Type, b, v)
	}
	step := len(b) / v.Len()
	for i := range v.Len() {
		if err := f.walk(b[i*step:(i+1)*step], v.Index(i), axes-1, visit); err != nil {
			return err
		}
	}
	return nil
}

// Value returns the memory form of the Go value v as an element of t. It accepts
//
//   - a value that fits t,
//   - a string for S, U and String, and for V and R if its length is right,
//   - a time.Time for DateTime or a time.Duration for TimeDelta that is a whole number of units,
//   - a slice of bytes for S, V, R and Bytes.
//
// ok is false for values of other Go types. Value returns fault.Type for values that do not fit t.
func Value(t Type, v any) (b []byte, ok bool, err error) {
	r := reflect.ValueOf(v)
	if !r.IsValid() {
		return nil, false, nil
	}
	switch t := t.(type) {
	case S, V, R:
		text, ok := bytesOf(r)
		if !ok {
			break
		}
		_, padded := t.(S)
		if len(text) > t.Size() || !padded && len(text) < t.Size() {
			return nil, true, fault.Newf(fault.Type, "a value of %d bytes does not fit %v", len(text), t)
		}
		return append(text, make([]byte, t.Size()-len(text))...), true, nil
	case U:
		if r.Kind() == reflect.String {
			if !utf8.ValidString(r.String()) {
				return nil, true, fault.Newf(fault.Type, "%.80q is not valid UTF-8", r.String())
			}
			b, err := t.ParseFill(appendString(nil, r.String()), 3)
			return b, true, asType(err)
		}
	case VarLen:
		if text, ok := bytesOf(r); ok && t.Fits(r.Type()) {
			one := [][]byte{text}
			err := t.Items(one)
			return one[0], true, err
		}
		return nil, false, nil
	case Ragged:
		if !t.Fits(r.Type()) {
			return nil, false, nil
		}
		b, err := t.Append(nil, r)
		return b, true, err
	case DateTime:
		if b, ok, err := instantOf(t, v); ok {
			return b, true, err
		}
	case TimeDelta:
		if b, ok, err := spanOf(t, v); ok {
			return b, true, err
		}
	}
	if !t.Fits(r.Type()) {
		return nil, false, nil
	}
	b = make([]byte, t.Size())
	return b, true, Encode(t, b, r)
}

// bytesOf returns a copy of the bytes of a string or of a slice of bytes.
func bytesOf(r reflect.Value) ([]byte, bool) {
	switch {
	case r.Kind() == reflect.String:
		return []byte(r.String()), true
	case r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8:
		return append([]byte{}, r.Bytes()...), true
	}
	return nil, false
}

// asType returns err with the kind fault.Type.
func asType(err error) error {
	if err != nil {
		return fault.Newf(fault.Type, "%w", err)
	}
	return nil
}
