package codec

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// The functions for filters of numcodecs have the parameters "of", the type of the elements, and
// "as", the type of the stored values. If "as" is nil, both types are the same. The functions write
// types in little-endian order. For v2 arrays after Bytes(dtype.Big), write the configuration
// instead.

// Delta stores the first element, and then the difference of each element from the previous one
// (numcodecs "delta"). Integers wrap. Delta is lossless if the stored type is as wide as the type
// of the elements, or if it can represent all differences.
func Delta(of, as dtype.Type) Spec {
	return filterSpec("delta", member{"dtype", of}, member{"astype", as})
}

// AsType casts elements to another type as C does, and stores the results (numcodecs "astype").
// [CastValue] of v3 converts by value instead.
func AsType(of, as dtype.Type) Spec {
	return filterSpec("astype", member{"encode_dtype", as}, member{"decode_dtype", of})
}

// FixedScaleOffset stores round((x - offset) × scale), computed in floats (numcodecs
// "fixedscaleoffset").
func FixedScaleOffset(offset, scale float64, of, as dtype.Type) Spec {
	return filterSpec("fixedscaleoffset", member{"offset", withPoint(offset)}, member{"scale", withPoint(scale)}, member{"dtype", of}, member{"astype", as})
}

// Quantize rounds floats to a multiple of a power of two (numcodecs "quantize"). The power is small
// enough to keep a number of decimal digits after the point, from -307 to 307. Both types must be
// floats.
func Quantize(digits int, of, as dtype.Type) Spec {
	return filterSpec("quantize", member{"digits", digits}, member{"dtype", of}, member{"astype", as})
}

// PackBools stores booleans as bits, after a byte with the number of padding bits (numcodecs
// "packbits"). [PackBits] of v3 accepts all number types and has the opposite bit order.
func PackBools() Spec { return Spec{Name: numcodecs + "packbits", Config: json.RawMessage(`{}`)} }

// BitRound keeps the given number of bits and rounds the rest (registry "bitround"). For floats,
// the number counts bits of the fraction. For integers, it counts from the highest set bit down. v2
// arrays use numcodecs' bitround, which accepts only floats.
func BitRound(keep int) Spec { return newSpec("bitround", `{"keepbits":%d}`, keep) }

// PackBits stores numbers without unused bits (registry "packbits"). For example, an int4 takes 4
// bits and a boolean takes one. To store only some of the bits, write the configuration with
// "first_bit" and "last_bit", which are counted from 0, the lowest bit.
func PackBits() Spec { return Spec{Name: "packbits", Config: json.RawMessage(`{}`)} }

// Reshape stores the elements in another shape (registry "reshape"). Each argument is a length, or
// a list of axes of the array whose lengths are multiplied. One length may be -1, and is then
// inferred: Reshape([]int{0, 1}, 3, -1).
func Reshape(lengths ...any) Spec {
	raw, err := json.Marshal(lengths)
	if err != nil {
		raw = json.RawMessage(`null`) // Bind rejects it
	}
	if lengths == nil {
		raw = json.RawMessage(`[]`)
	}
	return newSpec("reshape", `{"shape":%s}`, raw)
}

// ScaleOffset stores (x - offset) × scale in the array's own type (registry "scale_offset"). Add
// [CastValue] after it to store another type. Offset and scale must be representable in the array's
// type.
func ScaleOffset(offset, scale float64) Spec {
	return newSpec("scale_offset", `{"offset":%s,"scale":%s}`, jsonNumber(offset), jsonNumber(scale))
}

// CastValueOptions configures [CastValue]. Rounding is "nearest-even", "towards-zero",
// "towards-positive", "towards-negative" or "nearest-away".
type CastValueOptions struct {
	Type       dtype.Type // of the stored numbers; required
	Rounding   string     // "" means "nearest-even"
	OutOfRange string     // "error", "clamp" or "wrap"; "" means "error"

	// Encode and Decode convert single values. Each entry is a pair of numbers, written as fill
	// values. The first number of the pair is converted to the second. NaN matches every NaN.
	Encode, Decode [][2]json.RawMessage
}

// CastValue stores numbers as another type by value (registry "cast_value"). If metadata cannot
// express that type, CastValue returns a Spec that Bind rejects.
func CastValue(o CastValueOptions) Spec {
	var list []member
	list = append(list, member{"data_type", v3Name{o.Type}})
	if o.Rounding != "" {
		list = append(list, member{"rounding", o.Rounding})
	}
	if o.OutOfRange != "" && o.OutOfRange != "error" {
		list = append(list, member{"out_of_range", o.OutOfRange})
	}
	if o.Encode != nil || o.Decode != nil {
		m := map[string][][2]json.RawMessage{}
		if o.Encode != nil {
			m["encode"] = o.Encode
		}
		if o.Decode != nil {
			m["decode"] = o.Decode
		}
		list = append(list, member{"scalar_map", m})
	}
	return Spec{Name: "cast_value", Config: object(list)}
}

// member is a name and a value in a configuration.
type member struct {
	name  string
	value any
}

type v3Name struct{ dtype.Type }

// filterSpec returns the Spec of a numcodecs filter. It writes types as numpy does, in
// little-endian order, and omits nil values.
func filterSpec(id string, list ...member) Spec {
	return Spec{Name: numcodecs + id, Config: object(list)}
}

func object(list []member) json.RawMessage {
	b := []byte{'{'}
	for _, m := range list {
		var raw json.RawMessage
		var err error
		switch v := m.value.(type) {
		case nil:
			continue
		case v3Name:
			raw = json.RawMessage(`null`)
			if v.Type != nil {
				raw, err = v.V3()
			}
		case dtype.Type:
			o := dtype.NoOrder
			if v.HasOrder() {
				o = dtype.Little
			}
			raw, err = v.V2(o)
		default:
			raw, err = json.Marshal(v)
		}
		if err != nil {
			raw = json.RawMessage(`null`)
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:%s", m.name, raw)
	}
	return append(b, '}')
}

// jsonNumber formats a number as JSON. It formats integers without a fraction. NaN and infinities
// are written as in fill values.
func jsonNumber(f float64) json.RawMessage {
	raw, err := json.Marshal(f)
	if err != nil {
		return fmt.Appendf(nil, "%q", fmt.Sprint(f))
	}
	return raw
}

// withPoint formats a number so that Python reads it as a float.
func withPoint(f float64) json.RawMessage {
	raw := jsonNumber(f)
	if bytes.ContainsAny(raw, ".eEN") {
		return raw
	}
	return append(raw, ".0"...)
}
