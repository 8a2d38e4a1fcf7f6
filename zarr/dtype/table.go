package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Factory returns the data type that a configuration of a v3 name describes. The argument config is
// a JSON object, or nil if the name lacks a configuration. A Factory returns fault.Metadata for an
// invalid configuration, and errors.ErrUnsupported for a configuration that is not implemented.
type Factory func(config json.RawMessage) (Type, error)

// Table is a set of data types by name. It is immutable and safe for concurrent use.
type Table struct {
	named map[string]Factory // v3 names
	v2    map[string]Type    // v2 "dtype" strings
}

// standard creates the table once, because every opened array uses it.
var standard = sync.OnceValue(newStandard)

// Standard returns the table of the data types of this package: those of the v3 core, of its
// registered extensions and of zarr-python, all typestrings of v2, and TensorStore's v2 names. "|O"
// is text, bytes, JSON or arrays, depending on its codec.
func Standard() *Table { return standard() }

func newStandard() *Table {
	t := &Table{named: map[string]Factory{}, v2: map[string]Type{}}
	for b := range basics {
		t.named[b.String()] = plain(b)
		if b.inTensorStore() {
			t.v2[b.String()] = b
		}
	}
	t.named["complex_float32"] = plain(Complex64)
	t.named["complex_float64"] = plain(Complex128)
	t.named["string"] = plain(String)
	t.named["bytes"] = plain(Bytes)
	t.named["variable_length_bytes"] = plain(Bytes)
	t.named["numpy.datetime64"] = func(c json.RawMessage) (Type, error) { return parseTicks('M', c) }
	t.named["numpy.timedelta64"] = func(c json.RawMessage) (Type, error) { return parseTicks('m', c) }
	t.named["null_terminated_bytes"] = lengthFactory(1, func(n int) Type { return S(n) })
	t.named["raw_bytes"] = lengthFactory(1, func(n int) Type { return V(n) })
	t.named["fixed_length_utf32"] = lengthFactory(4, func(n int) Type { return U(n) })
	return t
}

// plain returns the Factory of a type without a configuration.
func plain(t Type) Factory {
	return func(config json.RawMessage) (Type, error) {
		if len(config) == 0 {
			return t, nil
		}
		return t, strictConfig(config, &struct{}{})
	}
}

func lengthFactory(each int, of func(n int) Type) Factory {
	return func(config json.RawMessage) (Type, error) {
		n, err := parseLengthBytes(config, each)
		if err != nil {
			return nil, err
		}
		t := of(n)
		return t, sized(t, t.Size())
	}
}

// With returns a copy of the table with f as the Factory of a v3 name. It replaces an existing type
// of that name. "struct", "structured" and the names r8, r16, … cannot be replaced.
func (t *Table) With(name string, f Factory) *Table {
	c := Table{maps.Clone(t.named), t.v2}
	if c.named == nil {
		c.named = map[string]Factory{}
	}
	c.named[name] = f
	return &c
}

// WithV2 returns a copy of the table that maps a v2 "dtype" string to typ, even if the table maps
// it to another type. The stored numbers of typ are little-endian.
func (t *Table) WithV2(name string, typ Type) *Table {
	c := Table{t.named, maps.Clone(t.v2)}
	if c.v2 == nil {
		c.v2 = map[string]Type{}
	}
	c.v2[name] = typ
	return &c
}

// Names returns the v3 names, sorted.
func (t *Table) Names() []string {
	return slices.Sorted(maps.Keys(t.named))
}

// ParseV3 parses the v3 "data_type" member: a name, or an object with a name.
func (t *Table) ParseV3(raw json.RawMessage) (Type, error) { return t.parseV3(raw, 0) }

func (t *Table) parseV3(raw json.RawMessage, depth int) (Type, error) {
	name, config, err := nameOf(raw)
	if err != nil {
		return nil, err
	}
	if name == "struct" || name == "structured" {
		return t.structV3(name, config, depth)
	}
	if f, ok := t.named[name]; ok {
		typ, err := f(config)
		if err != nil {
			return nil, fmt.Errorf("data type %.40q: %w", name, err)
		}
		return typ, nil
	}
	if bits, ok := strings.CutPrefix(name, "r"); ok && digits(bits) {
		if !wholeBytes(bits) {
			return nil, fault.Newf(fault.Metadata, "data type %.40q: the number of bits is not a multiple of 8", name)
		}
		n, err := strconv.Atoi(bits)
		if n /= 8; err != nil {
			n = MaxSize + 1
		}
		return R(n), errors.Join(plainConfig(config), sized(R(n), n))
	}
	return nil, fault.Newf(errors.ErrUnsupported, "data type %.40q", name)
}

func plainConfig(config json.RawMessage) error {
	_, err := plain(nil)(config)
	return err
}

// nameOf parses a data type's name and configuration.
func nameOf(raw json.RawMessage) (name string, config json.RawMessage, err error) {
	if json.Unmarshal(raw, &name) == nil && strings.HasPrefix(strings.TrimSpace(string(raw)), `"`) {
		if name == "" {
			err = fault.Newf(fault.Metadata, "the data type has no name")
		}
		return name, nil, err
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || json.Unmarshal(members["name"], &name) != nil || string(members["name"]) == "null" {
		return "", nil, fault.Newf(fault.Metadata, "a data type must be a name or an object with a name")
	}
	if name == "" {
		return "", nil, fault.Newf(fault.Metadata, "the data type has no name")
	}
	for m, v := range members {
		switch m {
		case "name", "configuration":
		case "must_understand": // no effect, because unknown types are never ignored
			if string(v) != "true" && string(v) != "false" {
				return "", nil, fault.Newf(fault.Metadata, "data type %.40q: must_understand must be true or false, is %s", name, abbreviate(v))
			}
		default:
			return "", nil, fault.Newf(errors.ErrUnsupported, "data type %.40q has the unknown member %.40q", name, m)
		}
	}
	if config = members["configuration"]; string(config) == "null" {
		config = nil
	}
	return name, config, nil
}

// structV3 parses "struct" and "structured". The fields of "struct" are objects and those of
// "structured" are pairs, but structV3 accepts both forms for both names.
func (t *Table) structV3(name string, config json.RawMessage, depth int) (Type, error) {
	if depth >= maxNest {
		return nil, fault.Newf(fault.Limit, "structures are nested more than %d deep", maxNest)
	}
	var c struct {
		Fields []json.RawMessage `json:"fields"`
	}
	if err := strictConfig(config, &c, "fields"); err != nil {
		return nil, fmt.Errorf("data type %q: %w", name, err)
	}
	if len(c.Fields) > maxFields {
		return nil, fault.Newf(fault.Limit, "a structure has %d fields, more than %d", len(c.Fields), maxFields)
	}
	fields := make([]Field, len(c.Fields))
	for i, raw := range c.Fields {
		label, of, err := fieldV3(raw)
		if err != nil {
			return nil, err
		}
		typ, err := t.parseV3(of, depth+1)
		if err != nil {
			return nil, fmt.Errorf("field %.40q: %w", label, err)
		}
		fields[i] = Field{Name: label, Type: typ}
	}
	s, err := NewStruct(fields...)
	if err != nil {
		return nil, err
	}
	s.legacy = name == "structured"
	return s, nil
}

// fieldV3 parses {"name": …, "data_type": …} or [name, data type].
func fieldV3(raw json.RawMessage) (name string, of json.RawMessage, err error) {
	bad := fault.Newf(fault.Metadata, "field %s is not a name and a data type", abbreviate(raw))
	var label *string
	var pair []json.RawMessage
	if json.Unmarshal(raw, &pair) == nil && pair != nil {
		if len(pair) != 2 || json.Unmarshal(pair[0], &label) != nil || label == nil {
			return "", nil, bad
		}
		return *label, pair[1], nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || len(members) != 2 || members["data_type"] == nil ||
		json.Unmarshal(members["name"], &label) != nil || label == nil {
		return "", nil, bad
	}
	return *label, members["data_type"], nil
}
