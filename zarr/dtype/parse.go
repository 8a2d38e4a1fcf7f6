package dtype

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ParseV3 reads the v3 "data_type" member: a name, or an object with a name.
func ParseV3(raw json.RawMessage) (Type, error) {
	var name string
	if json.Unmarshal(raw, &name) != nil {
		var ext struct {
			Name   *string         `json:"name"`
			Config json.RawMessage `json:"configuration"`
		}
		if err := json.Unmarshal(raw, &ext); err != nil || ext.Name == nil {
			return nil, fault.Newf(fault.Metadata, "a data type is a name or an object with a name")
		}
		name = *ext.Name
		if len(ext.Config) > 0 && string(ext.Config) != "null" && strings.Trim(string(ext.Config), "{} \t\r\n") != "" {
			return nil, fault.Newf(errors.ErrUnsupported, "data type %.40q with a configuration", name)
		}
	}
	for b := range basics {
		if b.info().name == name {
			return b, nil
		}
	}
	if name == "" {
		return nil, fault.Newf(fault.Metadata, "the data type has no name")
	}
	if bits, ok := strings.CutPrefix(name, "r"); ok && digits(bits) && !wholeBytes(bits) {
		return nil, fault.Newf(fault.Metadata, "data type %.40q: the number of bits is no multiple of 8", name)
	}
	return nil, fault.Newf(errors.ErrUnsupported, "data type %.40q", name)
}

// ParseV2 reads the v2 "dtype" member, a numpy typestring, and the byte order that it names.
func ParseV2(raw json.RawMessage) (Type, Order, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		var fields []json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			return nil, NoOrder, fault.Newf(fault.Metadata, "a dtype is a typestring or a list of fields")
		}
		if err := checkFields(fields); err != nil {
			return nil, NoOrder, err
		}
		return nil, NoOrder, fault.Newf(errors.ErrUnsupported, "structured dtype %s", abbreviate(raw))
	}
	if len(s) >= 3 && s[0] >= 'a' && s[0] <= 'z' && !code(s) { // TensorStore's own: "bfloat16", "int4"
		return nil, NoOrder, fault.Newf(errors.ErrUnsupported, "dtype %.40q", s)
	}
	if len(s) < 2 {
		return nil, NoOrder, fault.Newf(fault.Metadata, "typestring %.40q", s)
	}
	order, ok := map[byte]Order{'|': NoOrder, '<': Little, '>': Big}[s[0]]
	if !ok {
		return nil, NoOrder, fault.Newf(fault.Metadata, "typestring %.40q does not begin with <, > or |", s)
	}
	for b := range basics {
		if b.info().v2 != s[1:] {
			continue
		}
		if !b.HasOrder() {
			return b, NoOrder, nil // "<u1" is seen in the wild
		}
		if order == NoOrder {
			return nil, NoOrder, fault.Newf(fault.Metadata, "typestring %.40q has no byte order", s)
		}
		return b, order, nil
	}
	if strings.Trim(s[2:], "0123456789") == "" && strings.ContainsRune("biufc", rune(s[1])) {
		return nil, NoOrder, fault.Newf(fault.Metadata, "typestring %.40q has no such size", s)
	}
	return nil, NoOrder, fault.Newf(errors.ErrUnsupported, "typestring %.40q", s)
}

// code tells whether s is a numpy type code without its byte order: a kind and a size.
func code(s string) bool { return strings.ContainsRune("biufcmMSaUV", rune(s[0])) && digits(s[1:]) }

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// wholeBytes tells whether a decimal number of bits is a positive multiple of 8; its last three digits decide.
func wholeBytes(bits string) bool {
	n, err := strconv.Atoi(bits[max(len(bits)-3, 0):])
	return err == nil && n%8 == 0 && strings.Trim(bits, "0") != ""
}

// checkFields tells structures that are malformed from those that are only unknown here.
func checkFields(fields []json.RawMessage) error {
	if len(fields) == 0 {
		return fault.Newf(fault.Metadata, "a structured dtype without fields")
	}
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		var parts []json.RawMessage
		var name *string
		if json.Unmarshal(f, &parts) != nil || len(parts) < 2 || len(parts) > 3 || json.Unmarshal(parts[0], &name) != nil || name == nil {
			return fault.Newf(fault.Metadata, "dtype field %s is not a name, a type and perhaps a shape", abbreviate(f))
		}
		if seen[*name] {
			return fault.Newf(fault.Metadata, "two dtype fields are called %.40q", *name)
		}
		seen[*name] = true
		var shape []uint64
		if len(parts) == 3 && json.Unmarshal(parts[2], &shape) != nil {
			return fault.Newf(fault.Metadata, "dtype field %.40q has the shape %s", *name, abbreviate(parts[2]))
		}
	}
	return nil
}

// Parse reads a data type as people write it: a v3 name, a v2 typestring with or without its byte order, or the JSON of
// either. The byte order is dropped.
func Parse(s string) (Type, error) {
	if s = strings.TrimSpace(s); strings.HasPrefix(s, "{") || strings.HasPrefix(s, `"`) {
		return ParseV3(json.RawMessage(s))
	}
	if strings.HasPrefix(s, "[") {
		t, _, err := ParseV2(json.RawMessage(s))
		return t, err
	}
	bare := strings.TrimLeft(s, "<>|=")
	for b := range basics {
		if b.info().name == s || b.info().v2 == bare {
			return b, nil
		}
	}
	return nil, fault.Newf(errors.ErrUnsupported, "data type %.40q", s)
}

// Of is the data type whose elements are Ts: Float32 for float32, Float16 for F16. A T of no fixed size, int for one, is
// fault.Type.
func Of[T any]() (Type, error) {
	t := reflect.TypeFor[T]()
	for b := range basics {
		if b.Fits(t) {
			return b, nil
		}
	}
	return nil, fault.Newf(fault.Type, "no data type has elements of the Go type %v", t)
}
