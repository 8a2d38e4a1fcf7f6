package dtype

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/internal/jsontext"
	"github.com/zargo-io/zargo/zarr/fault"
)

// VarLen is a data type whose elements vary in length. Size is 0; elements and fill values have a
// length of their own.
type VarLen uint8

// The data types of varying length.
const (
	// String is text in UTF-8: "string" in v3, "|O" with the codec vlen-utf8 in v2.
	String VarLen = iota
	// Bytes is any bytes: "bytes" in v3, also read as "variable_length_bytes", and "|O" with the
	// codec vlen-bytes in v2.
	Bytes
	// JSON is a value of any kind: "|O" with the codec json2 or msgpack2 in v2. An element is its
	// JSON text without white space; {"b64":"AP8="} is bytes, which msgpack2 has, and
	// {"float":"NaN"}, {"float":"Infinity"} and {"float":"-Infinity"} are the numbers that JSON
	// lacks. What numcodecs has as None is null.
	JSON
	numVarLen
)

// Codec is the name of the codec from array to bytes that elements have unless another one is
// chosen: in v3 and in numcodecs, or that of numcodecs where v3 has none.
func (t VarLen) Codec() string { return [...]string{"vlen-utf8", "vlen-bytes", "json2"}[t] }

// String is the v3 name, or "json".
func (t VarLen) String() string { return [...]string{"string", "bytes", "json"}[t] }

// Size is 0.
func (VarLen) Size() int { return 0 }

// Go is string for String, []byte for Bytes and json.RawMessage for JSON.
func (t VarLen) Go() reflect.Type {
	return [...]reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[json.RawMessage]()}[t]
}

// Fits takes strings for String, slices of bytes for Bytes and JSON, and named types of them.
func (t VarLen) Fits(g reflect.Type) bool {
	if t == String {
		return g.Kind() == reflect.String
	}
	return g.Kind() == reflect.Slice && g.Elem().Kind() == reflect.Uint8 && !isBits(g.Elem())
}

// HasOrder is false.
func (VarLen) HasOrder() bool { return false }

// Swap does nothing.
func (VarLen) Swap([]byte) {}

// Canon does nothing.
func (VarLen) Canon([]byte) {}

// DefaultFill is no bytes, and null of JSON.
func (t VarLen) DefaultFill() []byte {
	if t == JSON {
		return []byte("null")
	}
	return []byte{}
}

// ParseFill reads text as a string, bytes as base64 or, in v3, a list, and JSON as it is; 0 in v2
// is no text and no bytes, as old writers left it.
func (t VarLen) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	switch {
	case t == JSON:
		b, err := jsontext.Canon(nil, raw, jsontext.Strict)
		if err != nil {
			b, err = jsontext.Canon(nil, raw, jsontext.Tokens)
		}
		if err != nil {
			return nil, fault.Newf(fault.Metadata, "fill value: %v", err)
		}
		return b, nil
	case isZero(raw, format):
		return []byte{}, nil
	case t == String:
		s, err := unquote(raw)
		return []byte(s), err
	case format >= 3 && strings.HasPrefix(strings.TrimSpace(string(raw)), "["):
		return byteList(raw, -1)
	}
	s, err := unquote(raw)
	if err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, fault.Newf(fault.Metadata, "fill value %s is not base64: %v", abbreviate(raw), err)
	}
	return b, nil
}

// FormatFill writes text as a string, bytes as base64, and JSON as it is.
func (t VarLen) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	if t == JSON {
		return jsontext.Canon(nil, fill, jsontext.Strict)
	}
	if t == String {
		if !utf8.Valid(fill) {
			return nil, fault.Newf(fault.Metadata, "fill value %.80x is no UTF-8", fill)
		}
		return appendString(nil, string(fill)), nil
	}
	return quote64(fill), nil
}

// V2 is "|O"; the codec says the rest.
func (VarLen) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|O"`), nil }

// V3 is the name; errors.ErrUnsupported for JSON, for which v3 has none.
func (t VarLen) V3() (json.RawMessage, error) {
	if t == JSON {
		return nil, fault.Newf(errors.ErrUnsupported, "v3 has no data type for objects of any kind")
	}
	return json.Marshal(t.String())
}

// Items brings elements of t that a caller has into the form in which they are stored: JSON without
// white space. fault.Type, with its place, for one that is none. Other elements stay as they are.
func (t VarLen) Items(items [][]byte) error {
	if t != JSON {
		return nil
	}
	for i, b := range items {
		canon, err := jsontext.Canon(nil, b, jsontext.Strict)
		if err != nil {
			return fault.Newf(fault.Type, "element %d: %v", i, err)
		}
		items[i] = canon
	}
	return nil
}

// Unquote gives the text of an element of JSON that is a string; not ok for elements of other
// kinds.
func Unquote(item []byte) (text string, ok bool) { return jsontext.Unquote(item) }
