package codec

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// The filters of numcodecs take the data type of the elements, of, and that of what is stored, as;
// where that is nil it is the same. Types are spelled little-endian: behind Bytes(dtype.Big), in
// v2, write the configuration out.

// Delta stores the first element and then differences (numcodecs "delta"). Integers wrap: what
// comes back is what was stored, as long as the other type is as wide or the differences fit it.
func Delta(of, as dtype.Type) Spec {
	return filterSpec("delta", member{"dtype", of}, member{"astype", as})
}

// AsType stores elements of the type of as the type as, cast as C does (numcodecs "astype").
// [CastValue] of v3 converts by value instead.
func AsType(of, as dtype.Type) Spec {
	return filterSpec("astype", member{"encode_dtype", as}, member{"decode_dtype", of})
}

// FixedScaleOffset stores round((x - offset) × scale) (numcodecs "fixedscaleoffset"), computed in
// floats.
func FixedScaleOffset(offset, scale float64, of, as dtype.Type) Spec {
	return filterSpec("fixedscaleoffset", member{"offset", withPoint(offset)}, member{"scale", withPoint(scale)}, member{"dtype", of}, member{"astype", as})
}

// Quantize keeps so many decimal digits after the point, as a binary fraction; digits is from -307
// to 307 (numcodecs "quantize"). Both types are floats.
func Quantize(digits int, of, as dtype.Type) Spec {
	return filterSpec("quantize", member{"digits", digits}, member{"dtype", of}, member{"astype", as})
}

// PackBools stores truth values as bits, after a byte that counts the bits left over (numcodecs
// "packbits"). [PackBits] of v3 takes every type of number, and has the bits of a byte the other
// way round.
func PackBools() Spec { return Spec{Name: numcodecs + "packbits", Config: json.RawMessage(`{}`)} }

// BitRound keeps so many bits of the fraction of floats, or of integers from the highest that is
// set, and rounds the rest away (registry "bitround"; in v2 that of numcodecs, which takes floats
// only).
func BitRound(keep int) Spec { return newSpec("bitround", `{"keepbits":%d}`, keep) }

// PackBits stores numbers of less than 8 bits in as many bits, and truth values in one (registry
// "packbits"). To store only some of the bits, write the configuration: first_bit and last_bit are
// counted from the lowest, which is 0.
func PackBits() Spec { return Spec{Name: "packbits", Config: json.RawMessage(`{}`)} }

// Reshape stores the elements under another shape (registry "reshape"): lengths, one of which may
// be -1 for what is left, or lists of axes of the array whose lengths are multiplied:
// Reshape([]int{0, 1}, 3, -1).
func Reshape(lengths ...any) Spec {
	raw, err := json.Marshal(lengths)
	if err != nil {
		raw = json.RawMessage(`null`) // Bind says that it is no list
	}
	if lengths == nil {
		raw = json.RawMessage(`[]`)
	}
	return newSpec("reshape", `{"shape":%s}`, raw)
}

// ScaleOffset stores (x - offset) × scale in the array's own type (registry "scale_offset"): put
// [CastValue] after it. Offset and scale are numbers of the array's type.
func ScaleOffset(offset, scale float64) Spec {
	return newSpec("scale_offset", `{"offset":%s,"scale":%s}`, jsonNumber(offset), jsonNumber(scale))
}

// CastValueOptions configure [CastValue].
type CastValueOptions struct {
	Type       dtype.Type // of the stored numbers; it has no default
	Rounding   string     // "towards-zero", "towards-positive", "towards-negative" or "nearest-away"; "" is "nearest-even"
	OutOfRange string     // "clamp" or "wrap"; "" is "error"

	// Encode and Decode are pairs of numbers, each written as a fill value is: the first becomes
	// the second. NaN stands for every NaN.
	Encode, Decode [][2]json.RawMessage
}

// CastValue stores numbers as another type by their value (registry "cast_value"). A type that
// metadata cannot name makes a Spec that no table binds.
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

// member is one of a configuration.
type member struct {
	name  string
	value any
}

type v3Name struct{ dtype.Type }

// filterSpec spells types as numpy does, little-endian, and leaves out those that are nil.
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

// jsonNumber spells a whole number without a fraction; what is no number as fill values are.
func jsonNumber(f float64) json.RawMessage {
	raw, err := json.Marshal(f)
	if err != nil {
		return fmt.Appendf(nil, "%q", fmt.Sprint(f))
	}
	return raw
}

// withPoint spells a number so that Python reads a float.
func withPoint(f float64) json.RawMessage {
	raw := jsonNumber(f)
	if bytes.ContainsAny(raw, ".eEN") {
		return raw
	}
	return append(raw, ".0"...)
}
