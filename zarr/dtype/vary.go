package dtype

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Vary is a data type whose elements vary in length: Size is 0, and an element, the fill value too, is as many bytes as
// it is.
type Vary uint8

// The data types of varying length.
const (
	// String is text in UTF-8: "string" in v3, "|O" with the codec vlen-utf8 in v2.
	String Vary = iota
	// Bytes is any bytes: "bytes" in v3, also read as "variable_length_bytes", and "|O" with the codec vlen-bytes in v2.
	Bytes
	numVary
)

// Codec is the name of the codec from array to bytes that elements need, in v3 and in numcodecs.
func (t Vary) Codec() string { return [...]string{"vlen-utf8", "vlen-bytes"}[t] }

// String is the v3 name.
func (t Vary) String() string { return [...]string{"string", "bytes"}[t] }

// Size is 0.
func (Vary) Size() int { return 0 }

// Go is string for String and []byte for Bytes.
func (t Vary) Go() reflect.Type {
	if t == String {
		return reflect.TypeFor[string]()
	}
	return reflect.TypeFor[[]byte]()
}

// Fits takes strings for String, slices of bytes for Bytes, and named types of them.
func (t Vary) Fits(g reflect.Type) bool {
	if t == String {
		return g.Kind() == reflect.String
	}
	return g.Kind() == reflect.Slice && g.Elem().Kind() == reflect.Uint8 && !isBits(g.Elem())
}

// HasOrder is false.
func (Vary) HasOrder() bool { return false }

// Swap does nothing.
func (Vary) Swap([]byte) {}

// Canon does nothing.
func (Vary) Canon([]byte) {}

// DefaultFill is no bytes.
func (Vary) DefaultFill() []byte { return []byte{} }

// ParseFill reads text as a string, bytes as base64 or, in v3, a list; 0 in v2 is no bytes, as old writers left it.
func (t Vary) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	switch {
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

// FormatFill writes text as a string and bytes as base64.
func (t Vary) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	if t == String {
		if !utf8.Valid(fill) {
			return nil, fault.Newf(fault.Metadata, "fill value %.80x is no UTF-8", fill)
		}
		return appendString(nil, string(fill)), nil
	}
	return quote64(fill), nil
}

// V2 is "|O"; the codec says the rest.
func (Vary) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|O"`), nil }

// V3 is the name.
func (t Vary) V3() (json.RawMessage, error) { return json.Marshal(t.String()) }

// object is the type of v2's "|O", which its codec decides.
func object(codec string) (Type, error) {
	for t := range numVary {
		if t.Codec() == codec {
			return t, nil
		}
	}
	if codec == "" {
		return nil, fault.Newf(fault.Metadata, `"|O" without a codec that makes bytes of objects`)
	}
	return nil, fault.Newf(errors.ErrUnsupported, `"|O" with the codec %.40q`, codec)
}
