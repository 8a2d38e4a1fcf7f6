package dtype

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Convert converts the elements of src, which are in memory form, to dst without loss. It returns
// fault.Type, with the index of the element, if T cannot represent an element exactly. Signs of
// zero and payloads of NaNs may be lost.
//
// Convert converts numbers and bools to numbers, and bools to bools. It converts DateTime to
// time.Time, TimeDelta to time.Duration, and both of them to numbers of their units. It converts S
// and U to strings, and S, V and R to slices of bytes. It does not convert NaT. T may be a named
// type. For other conversions it returns fault.Type.
func Convert[T any](t Type, dst []T, src []byte) error {
	to := reflect.TypeFor[T]()
	set, err := converter(t, to)
	if err != nil {
		return err
	}
	all, size := reflect.ValueOf(dst), t.Size()
	for i := range dst {
		if err := set(all.Index(i), src[i*size:(i+1)*size]); err != nil {
			return fault.Newf(fault.Type, "element %d of %v cannot be converted to %v: %w", i, t, to, err)
		}
	}
	return nil
}

// Converts returns fault.Type if Convert cannot convert elements of t to the given Go type.
func Converts(t Type, to reflect.Type) error {
	_, err := converter(t, to)
	return err
}

// setter sets a Go value to an element in memory form.
type setter func(v reflect.Value, b []byte) error

func converter(t Type, to reflect.Type) (setter, error) {
	switch {
	case t.Size() > 0 && t.Fits(to):
		return func(v reflect.Value, b []byte) error { return Decode(t, v, b) }, nil
	case to == reflect.TypeFor[time.Time](), to == reflect.TypeFor[time.Duration]():
		return timeSetter(t, to)
	case to.Kind() == reflect.String, to.Kind() == reflect.Slice && to.Elem().Kind() == reflect.Uint8:
		return textSetter(t, to)
	}
	get, put := numberOf(t), numberTo(t, to)
	if get == nil || put == nil {
		return nil, noWay(t, to)
	}
	return func(v reflect.Value, b []byte) error {
		n := get(b)
		if n.nat {
			return fmt.Errorf("NaT is not a number")
		}
		if !put(v, n) {
			return fmt.Errorf("%v is not representable", n)
		}
		return nil
	}, nil
}

func noWay(t Type, to reflect.Type) error {
	return fault.Newf(fault.Type, "elements of %v cannot be converted to %v", t, to)
}

func timeSetter(t Type, to reflect.Type) (setter, error) {
	switch t := t.(type) {
	case DateTime:
		if to == reflect.TypeFor[time.Time]() {
			return func(v reflect.Value, b []byte) error {
				i := Instant(getBits(b))
				at, err := t.Time(i)
				if err != nil {
					return err
				}
				if back, err := t.Instant(at); err != nil || back != i {
					return fmt.Errorf("%s is not a whole number of nanoseconds", t.Format(i))
				}
				v.Set(reflect.ValueOf(at))
				return nil
			}, nil
		}
	case TimeDelta:
		if to == reflect.TypeFor[time.Duration]() {
			return func(v reflect.Value, b []byte) error {
				s := Span(getBits(b))
				d, err := t.Duration(s)
				if err != nil {
					return err
				}
				if back, err := t.Span(d); err != nil || back != s {
					return fmt.Errorf("%d in %v is not a whole number of nanoseconds", s, t)
				}
				v.SetInt(int64(d))
				return nil
			}, nil
		}
	}
	return nil, noWay(t, to)
}

func textSetter(t Type, to reflect.Type) (setter, error) {
	text := to.Kind() == reflect.String
	switch t.(type) {
	case U:
		if text {
			return func(v reflect.Value, b []byte) error {
				s, ok := utf32(b)
				if !ok {
					return fmt.Errorf("invalid Unicode code point")
				}
				v.SetString(s)
				return nil
			}, nil
		}
	case S:
		return func(v reflect.Value, b []byte) error {
			if s := Text(b); text {
				v.SetString(s)
			} else {
				v.SetBytes([]byte(s))
			}
			return nil
		}, nil
	case V, R:
		if !text {
			return func(v reflect.Value, b []byte) error {
				v.SetBytes(append([]byte{}, b...))
				return nil
			}, nil
		}
	}
	return nil, noWay(t, to)
}

// num is a number of any kind. Conversions between types of numbers use it as an intermediate form.
type num struct {
	kind   byte // 'b', 'i', 'u', 'f' or 'c'
	i      int64
	u      uint64
	re, im float64
	nat    bool
}

func (n num) String() string {
	switch n.kind {
	case 'i':
		return fmt.Sprint(n.i)
	case 'b', 'u':
		return fmt.Sprint(n.u)
	case 'f':
		return fmt.Sprint(n.re)
	}
	return fmt.Sprint(complex(n.re, n.im))
}

// numberOf returns a function that reads an element of t as a number, or nil if t is not numeric.
func numberOf(t Type) func(b []byte) num {
	switch t := t.(type) {
	case DateTime, TimeDelta:
		return func(b []byte) num {
			i := int64(binary.LittleEndian.Uint64(b))
			return num{kind: 'i', i: i, nat: i == NaT}
		}
	case Basic:
		info := t.info()
		shift := 64 - 8*info.size
		switch info.class {
		case boolean:
			return func(b []byte) num { return num{kind: 'b', u: uint64(b[0])} }
		case signed:
			return func(b []byte) num { return num{kind: 'i', i: int64(getBits(b)<<shift) >> shift} }
		case unsigned:
			return func(b []byte) num { return num{kind: 'u', u: getBits(b)} }
		case floating:
			return func(b []byte) num { return num{kind: 'f', re: info.float.value(getBits(b))} }
		}
		return func(b []byte) num {
			return num{kind: 'c', re: info.float.value(getBits(b[:info.unit])), im: info.float.value(getBits(b[info.unit:]))}
		}
	}
	return nil
}

// numberTo returns a function that sets a Go number and reports whether it represents n exactly. It
// returns nil for a Go type that is not a number or has another meaning, such as time.Duration.
func numberTo(from Type, to reflect.Type) func(v reflect.Value, n num) bool {
	if m, ok := smallFormat(to); ok {
		return func(v reflect.Value, n num) bool {
			f, ok := n.float()
			if !ok {
				return false
			}
			if f != f {
				nan, has := m.nan()
				v.SetUint(nan)
				return has
			}
			x, fits := m.round(f)
			v.SetUint(x)
			return fits && m.value(x) == f
		}
	}
	if isBits(to) || to == reflect.TypeFor[time.Duration]() {
		return nil
	}
	switch to.Kind() {
	case reflect.Bool:
		if from == Type(Bool) {
			return func(v reflect.Value, n num) bool { v.SetBool(n.u != 0); return true }
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value, n num) bool {
			i, ok := n.int()
			if !ok || v.OverflowInt(i) {
				return false
			}
			v.SetInt(i)
			return true
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(v reflect.Value, n num) bool {
			u, ok := n.uint()
			if !ok || v.OverflowUint(u) {
				return false
			}
			v.SetUint(u)
			return true
		}
	case reflect.Float32, reflect.Float64:
		narrow := to.Kind() == reflect.Float32
		return func(v reflect.Value, n num) bool {
			f, ok := n.float()
			v.SetFloat(f)
			return ok && (!narrow || same32(f))
		}
	case reflect.Complex64, reflect.Complex128:
		narrow := to.Kind() == reflect.Complex64
		return func(v reflect.Value, n num) bool {
			re, im := n.re, n.im
			if n.kind != 'c' {
				var ok bool
				if re, ok = n.float(); !ok {
					return false
				}
			}
			v.SetComplex(complex(re, im))
			return !narrow || same32(re) && same32(im)
		}
	}
	return nil
}

// smallFormat returns the format of a Go type that holds the bits of a small float.
func smallFormat(t reflect.Type) (format, bool) {
	for b := range basics {
		if i := b.info(); i.class == floating && i.unit < 4 && i.goes() == t {
			return i.float, true
		}
	}
	return format{}, false
}

func same32(f float64) bool { return f != f || float64(float32(f)) == f }

// int returns the number as an int64, and reports whether that is exact.
func (n num) int() (int64, bool) {
	switch n.kind {
	case 'i':
		return n.i, true
	case 'b', 'u':
		return int64(n.u), n.u <= math.MaxInt64
	}
	return int64(n.re), n.im == 0 && n.re == math.Trunc(n.re) && n.re >= -1<<63 && n.re < 1<<63
}

func (n num) uint() (uint64, bool) {
	switch n.kind {
	case 'i':
		return uint64(n.i), n.i >= 0
	case 'b', 'u':
		return n.u, true
	}
	return uint64(n.re), n.im == 0 && n.re == math.Trunc(n.re) && n.re >= 0 && n.re < 1<<64
}

// float returns the number as a float64, and reports whether that is exact.
func (n num) float() (float64, bool) {
	switch n.kind {
	case 'i':
		f := float64(n.i)
		return f, f < 1<<63 && int64(f) == n.i
	case 'b', 'u':
		f := float64(n.u)
		return f, f < 1<<64 && uint64(f) == n.u
	}
	return n.re, n.im == 0
}
