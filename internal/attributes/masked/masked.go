package masked

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"strconv"

	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Attr is the name of the attribute with the missing value.
const Attr = "_FillValue"

// ToV3 returns the v3 attributes for a v2 array. fill is the fill value in memory form, or nil if
// it is undefined. ToV3 does not modify attrs. said describes the change, and is "" if there is no
// change.
func ToV3(t dtype.Type, fill []byte, attrs map[string]any) (_ map[string]any, said string) {
	missing := fill
	if missing == nil {
		if missing = fromV2(t, attrs[Attr]); missing == nil {
			return attrs, ""
		}
	}
	v := encode(t, missing)
	switch {
	case isText(t):
		return attrs, "the fill value is not missing in v3, where xarray knows no " + Attr + " of text"
	case v == nil:
		return attrs, ""
	}
	if attrs = maps.Clone(attrs); attrs == nil {
		attrs = map[string]any{}
	}
	attrs[Attr] = v
	return attrs, fmt.Sprintf("attribute %s is %s", Attr, text(t, missing))
}

// V2 contains the v2 attributes and the v2 fill value for a v3 array.
type V2 struct {
	Attrs     map[string]any
	Fill      any    // new fill value as a Go value, or nil if it does not change
	Undefined bool   // the fill value becomes undefined, because xarray treats any fill value as missing
	Said      string // description of the change, or ""
}

// ToV2 returns the v2 attributes and the v2 fill value for a v3 array. The attribute [Attr] becomes
// the fill value. If the array lacks this attribute, or if it is not a value of the data type, no
// element is missing, and the fill value becomes undefined. xarray always treats NaN as missing. A
// fill value of NaN is therefore kept, and if the attribute is NaN, any other fill value becomes
// undefined. If the fill value changes, the elements of absent chunks would change. The caller must
// then store these chunks.
func ToV2(t dtype.Type, fill []byte, attrs map[string]any) V2 {
	if encode(t, fill) == nil && !isText(t) {
		return V2{Attrs: attrs} // xarray masks no elements in either format
	}
	v := V2{Attrs: attrs}
	missing := decode(t, attrs[Attr])
	if missing != nil {
		v.Attrs = maps.Clone(attrs)
		delete(v.Attrs, Attr)
	}
	switch {
	case missing != nil && (bytes.Equal(missing, fill) || isNaN(t, missing) && isNaN(t, fill)):
		v.Said = fmt.Sprintf("attribute %s is the fill value, %s", Attr, text(t, fill))
	case missing != nil && !isNaN(t, missing):
		v.Fill, v.Said = goValue(t, missing), fmt.Sprintf("fill value is %s, the attribute %s", text(t, missing), Attr)
	case !isNaN(t, fill):
		v.Undefined, v.Said = true, "fill value is undefined, for xarray would take any for missing"
	}
	return v
}

// kind returns numpy's kind of the elements: 'b', 'i', 'u', 'f' or 'c'. It returns 0 for types
// whose missing value xarray cannot decode.
func kind(t dtype.Type) byte {
	switch t {
	case dtype.Bool:
		return 'b'
	case dtype.Complex64, dtype.Complex128:
		return 'c'
	}
	return numeric.Kind(t)
}

// isText reports whether elements are text. xarray masks missing text in v2 but not in v3.
func isText(t dtype.Type) bool {
	switch t := t.(type) {
	case dtype.S, dtype.U:
		return true
	case dtype.VarLen:
		return t == dtype.String
	}
	return false
}

// goValue returns an element as a Go value, or nil if kind is 0 or b is not a valid element.
func goValue(t dtype.Type, b []byte) any {
	switch kind(t) {
	case 'b':
		return as[bool](t, b)
	case 'i':
		return as[int64](t, b)
	case 'u':
		return as[uint64](t, b)
	case 'f':
		return as[float64](t, b)
	case 'c':
		return as[complex128](t, b)
	}
	return nil
}

func as[T any](t dtype.Type, b []byte) any {
	v := make([]T, 1)
	if len(b) != t.Size() || dtype.Convert(t, v, b) != nil {
		return nil
	}
	return v[0]
}

// encode returns element b as the attribute that xarray writes for v3, or nil if xarray cannot
// encode or decode the data type.
func encode(t dtype.Type, b []byte) any {
	switch v := goValue(t, b).(type) {
	case bool:
		return v
	case int64:
		return json.Number(strconv.FormatInt(v, 10))
	case uint64:
		return json.Number(strconv.FormatUint(v, 10))
	case float64:
		return encodeFloat(v)
	case complex128:
		return []any{encodeFloat(real(v)), encodeFloat(imag(v))}
	}
	return nil
}

// encodeFloat returns the base64 encoding of a little-endian float64.
func encodeFloat(f float64) string {
	bits := math.Float64bits(f)
	if f != f {
		bits = 0x7ff8000000000000 // Python's NaN
	}
	return base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, bits))
}

// decode decodes the attribute from the encoding that xarray uses in v3, or else from its v2 form.
// It returns nil if the attribute is not a value of the data type.
func decode(t dtype.Type, attr any) []byte {
	switch kind(t) {
	case 'f':
		if f, ok := decodeFloat(attr); ok {
			return float(t.Size(), f)
		}
	case 'c':
		if parts, ok := attr.([]any); ok && len(parts) == 2 {
			re, ok := decodeFloat(parts[0])
			im, also := decodeFloat(parts[1])
			if ok && also {
				return append(float(t.Size()/2, re), float(t.Size()/2, im)...)
			}
		}
	}
	return fromV2(t, attr)
}

func decodeFloat(attr any) (f float64, ok bool) {
	s, _ := attr.(string)
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) != 8 {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
}

// fromV2 decodes the attribute in its v2 form: a bool, a number, or the name of a float. It returns
// nil if the attribute is not a value of the data type.
func fromV2(t dtype.Type, attr any) []byte {
	switch v := attr.(type) {
	case bool:
		if kind(t) == 'b' && v {
			return []byte{1}
		} else if kind(t) == 'b' {
			return []byte{0}
		}
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return nil
		}
		switch kind(t) {
		case 'i', 'u':
			n, ok := new(big.Int).SetString(v.String(), 10)
			if !ok { // a decimal number such as -999.0
				n, _ = big.NewFloat(math.Trunc(f)).Int(nil)
			}
			return integer(t, n)
		case 'f':
			return float(t.Size(), f)
		}
	case string:
		f, named := map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}[v]
		if named && kind(t) == 'f' {
			return float(t.Size(), f)
		}
	}
	return nil
}

// integer returns the memory form of an integer, or nil if it is out of the data type's range.
func integer(t dtype.Type, n *big.Int) []byte {
	low, high, bits := new(big.Int), big.NewInt(1), uint(t.Size()*8) //nolint:gosec // at most 64
	if high.Lsh(high, bits); kind(t) == 'i' {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	if n.Cmp(low) < 0 || n.Cmp(high) >= 0 {
		return nil
	}
	v := n.Uint64()
	if n.Sign() < 0 {
		v = uint64(n.Int64()) //nolint:gosec // in two's complement
	}
	return binary.LittleEndian.AppendUint64(nil, v)[:t.Size()]
}

// float returns the memory form of f, rounded to a float of size bytes.
func float(size int, f float64) []byte {
	switch size {
	case 2:
		return binary.LittleEndian.AppendUint16(nil, uint16(dtype.F16From(float32(f))))
	case 4:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))
}

// isNaN reports whether an element is a float that is not a number.
func isNaN(t dtype.Type, b []byte) bool {
	f, ok := goValue(t, b).(float64)
	return ok && f != f
}

func text(t dtype.Type, b []byte) string { return fmt.Sprint(goValue(t, b)) }
