package dtype

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr/fault"
)

// VarLen is a data type whose elements vary in length. Its Size is 0. Each element and each fill
// value has its own length.
type VarLen uint8

// The data types of variable length.
const (
	// String is UTF-8 text: "string" in v3, "|O" with the codec vlen-utf8 in v2.
	String VarLen = iota
	// Bytes is a sequence of bytes: "bytes" in v3, also read as "variable_length_bytes", and "|O"
	// with the codec vlen-bytes in v2.
	Bytes
	// JSON is any JSON value: "|O" with the codec json2 or msgpack2 in v2. An element is its JSON
	// text without white space. {"b64":"AP8="} represents bytes, which msgpack2 can contain.
	// {"float":"NaN"}, {"float":"Infinity"} and {"float":"-Infinity"} represent the numbers that
	// JSON lacks. Python's None is null.
	JSON
	numVarLen
)

// Codec returns the name of the default codec from arrays to bytes. v3 and numcodecs use the same
// name, except for json2, which only numcodecs has.
func (t VarLen) Codec() string { return [...]string{"vlen-utf8", "vlen-bytes", "json2"}[t] }

// String returns the v3 name, or "json".
func (t VarLen) String() string { return [...]string{"string", "bytes", "json"}[t] }

// Size returns 0.
func (VarLen) Size() int { return 0 }

// Go returns string for String, []byte for Bytes and json.RawMessage for JSON.
func (t VarLen) Go() reflect.Type {
	return [...]reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[json.RawMessage]()}[t]
}

// Fits reports whether g is a string for String, or a slice of bytes for Bytes and JSON. Named
// types fit too.
func (t VarLen) Fits(g reflect.Type) bool {
	if t == String {
		return g.Kind() == reflect.String
	}
	return g.Kind() == reflect.Slice && g.Elem().Kind() == reflect.Uint8 && !isBits(g.Elem())
}

// HasOrder returns false.
func (VarLen) HasOrder() bool { return false }

// Swap does nothing.
func (VarLen) Swap([]byte) {}

// Canon does nothing.
func (VarLen) Canon([]byte) {}

// DefaultFill returns an empty element, or null for JSON.
func (t VarLen) DefaultFill() []byte {
	if t == JSON {
		return []byte("null")
	}
	return []byte{}
}

// ParseFill accepts a string for String, and any value for JSON. For Bytes it accepts base64 or, in
// v3, a list. In v2 the number 0, which old writers used, means empty text or no bytes.
func (t VarLen) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	switch {
	case t == JSON:
		b, err := jsontext.Canon(nil, raw, jsontext.Strict)
		if err != nil {
			b, err = jsontext.Canon(nil, raw, jsontext.Tokens)
		}
		if err != nil {
			return nil, fault.Newf(fault.Metadata, "fill value is not valid JSON: %v", err)
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

// FormatFill returns text as a string, bytes as base64, and JSON as a value.
func (t VarLen) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	if t == JSON {
		return jsontext.Canon(nil, fill, jsontext.Strict)
	}
	if t == String {
		if !utf8.Valid(fill) {
			return nil, fault.Newf(fault.Metadata, "fill value %.80x is not valid UTF-8", fill)
		}
		return appendString(nil, string(fill)), nil
	}
	return quote64(fill), nil
}

// V2 returns "|O". The codec determines the rest.
func (VarLen) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|O"`), nil }

// V3 returns the name. It returns errors.ErrUnsupported for JSON, which v3 lacks.
func (t VarLen) V3() (json.RawMessage, error) {
	if t == JSON {
		return nil, fault.Newf(errors.ErrUnsupported, "v3 has no data type for objects of any kind")
	}
	return json.Marshal(t.String())
}

// Items converts elements of JSON in place to their stored form, which is JSON without white space.
// It returns fault.Type, with the index of the element, for an element that is not valid JSON. It
// does not change elements of other types.
func (t VarLen) Items(items [][]byte) error {
	if t != JSON {
		return nil
	}
	for i, b := range items {
		canon, err := jsontext.Canon(nil, b, jsontext.Strict)
		if err != nil {
			return fault.Newf(fault.Type, "element %d is not valid JSON: %v", i, err)
		}
		items[i] = canon
	}
	return nil
}
