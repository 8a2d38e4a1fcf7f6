package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ParseV3 parses the v3 "data_type" member with the types of Standard.
func ParseV3(raw json.RawMessage) (Type, error) { return Standard().ParseV3(raw) }

// ParseV2 parses the v2 "dtype" member with the types of Standard. It returns fault.Metadata for
// "|O", whose meaning depends on its codec; see [Table.ParseV2].
func ParseV2(raw json.RawMessage) (Type, Order, error) { return Standard().ParseV2(raw, "") }

// Parse parses a data type in any common form, with the types of Standard; see [Table.Parse].
func Parse(s string) (Type, error) { return Standard().Parse(s) }

// ParseV2 parses the v2 "dtype" member: a numpy typestring, a name that TensorStore writes there,
// or a list of fields. It returns the byte order of the numbers, or NoOrder for a structure, whose
// fields have their own byte orders. The argument object describes the codec that encodes the
// elements of "|O": the first filter or, without filters, the compressor. It is a numcodecs
// configuration (a JSON object with an id), or only the id.
func (t *Table) ParseV2(raw json.RawMessage, object string) (Type, Order, error) {
	return t.parseV2(raw, object, 0)
}

func (t *Table) parseV2(raw json.RawMessage, codec string, depth int) (Type, Order, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil || !strings.HasPrefix(strings.TrimSpace(string(raw)), `"`) {
		typ, err := t.structV2(raw, depth)
		return typ, NoOrder, err
	}
	if typ, ok := t.v2[s]; ok {
		if typ.HasOrder() {
			return typ, Little, nil
		}
		return typ, NoOrder, nil
	}
	if len(s) >= 3 && s[0] >= 'a' && s[0] <= 'z' && !code(s) {
		return nil, NoOrder, fault.Newf(errors.ErrUnsupported, "dtype %.40q", s)
	}
	if len(s) < 2 {
		return nil, NoOrder, fault.Newf(fault.Metadata, "typestring %.40q is too short", s)
	}
	order, ok := map[byte]Order{'|': NoOrder, '<': Little, '>': Big}[s[0]]
	if !ok {
		return nil, NoOrder, fault.Newf(fault.Metadata, "typestring %.40q does not begin with <, > or |", s)
	}
	typ, err := t.bare(s[1:], codec, depth)
	if err != nil {
		return nil, NoOrder, fmt.Errorf("typestring %.40q: %w", s, err)
	}
	if !typ.HasOrder() {
		return typ, NoOrder, nil // some writers write "<u1"
	}
	if order == NoOrder {
		return nil, NoOrder, fault.Newf(fault.Metadata, "typestring %.40q has no byte order", s)
	}
	return typ, order, nil
}

// bare parses a typestring without its byte order: a kind and a size.
func (t *Table) bare(s, codec string, depth int) (Type, error) {
	for b := range basics {
		if v2 := b.info().v2; v2 != "" && v2 == s {
			return b, nil
		}
	}
	size := s[1:]
	switch s[0] {
	case 'b', 'i', 'u', 'f', 'c':
		if strings.Trim(size, "0123456789") == "" {
			return nil, fault.Newf(fault.Metadata, "no numeric type has this size")
		}
	case 'M', 'm':
		if unit, ok := strings.CutPrefix(size, "8"); ok {
			return parseSuffix(s[0], unit)
		}
		return nil, fault.Newf(fault.Metadata, "dates and times must have 8 bytes")
	case 'S', 'a', 'U', 'V':
		if !digits(size) {
			return nil, fault.Newf(fault.Metadata, "the size is missing")
		}
		return fixed(s[0], parseLength(size))
	case 'O':
		if size == "" || size == "8" || size == "4" { // numpy writes the size of a pointer
			return t.object(codec, depth)
		}
	}
	return nil, fault.Newf(errors.ErrUnsupported, "unknown kind")
}

// fixed returns the type S, U or V with a length. A kind other than 'U' and 'V' means S.
func fixed(kind byte, n int) (Type, error) {
	var t Type = S(n)
	size := n
	switch kind {
	case 'U':
		t, size = U(n), 4*n
	case 'V':
		t = V(n)
	}
	return t, sized(t, size)
}

// code reports whether s is a numpy type code without its byte order: a kind and a size.
func code(s string) bool { return strings.ContainsRune("biufcmMSaUV", rune(s[0])) && digits(s[1:]) }

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// wholeBytes reports whether a decimal number of bits is a positive multiple of 8. The last three
// digits suffice to decide that.
func wholeBytes(bits string) bool {
	n, err := strconv.Atoi(bits[max(len(bits)-3, 0):])
	return err == nil && n%8 == 0 && strings.Trim(bits, "0") != ""
}

// structV2 parses a list of fields: a name, a dtype and an optional shape.
func (t *Table) structV2(raw json.RawMessage, depth int) (Type, error) {
	if depth >= maxNest {
		return nil, fault.Newf(fault.Limit, "structures are nested more than %d deep", maxNest)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return nil, fault.Newf(fault.Metadata, "a dtype must be a typestring or a list of fields")
	}
	if len(list) > maxFields {
		return nil, fault.Newf(fault.Limit, "a structure has %d fields, more than %d", len(list), maxFields)
	}
	fields := make([]Field, len(list))
	for i, one := range list {
		var parts []json.RawMessage
		var name *string
		if json.Unmarshal(one, &parts) != nil || len(parts) < 2 || len(parts) > 3 || json.Unmarshal(parts[0], &name) != nil || name == nil {
			return nil, fault.Newf(fault.Metadata, "dtype field %s is not a name, a type and an optional shape", abbreviate(one))
		}
		f := &fields[i]
		f.Name = *name
		var err error
		if len(parts) == 3 {
			if f.Shape, err = shapeV2(parts[2]); err != nil {
				return nil, fmt.Errorf("dtype field %.40q: %w", f.Name, err)
			}
		}
		if f.Type, f.Order, err = t.parseV2(parts[1], "", depth+1); err != nil {
			return nil, fmt.Errorf("dtype field %.40q: %w", f.Name, err)
		}
		if _, ok := f.Type.(V); ok && f.Name == "" {
			// In aligned structures, zarr-python 2 stores padding as fields without a name. numpy
			// gives them this name.
			f.Name = "f" + strconv.Itoa(i)
		}
	}
	return structType(fields)
}

// shapeV2 parses a field's shape: a list of lengths, or a single length.
func shapeV2(raw json.RawMessage) ([]int, error) {
	list := []json.RawMessage{raw}
	if strings.HasPrefix(strings.TrimSpace(string(raw)), "[") && json.Unmarshal(raw, &list) != nil || len(list) > maxAxes {
		return nil, fault.Newf(fault.Metadata, "shape %s is not a list of at most %d lengths", abbreviate(raw), maxAxes)
	}
	shape := make([]int, len(list))
	for i, d := range list {
		n, err := parseInteger(strings.TrimSpace(string(d)))
		if err != nil || n.Sign() < 0 || !n.IsInt64() || n.Int64() > MaxSize {
			return nil, fault.Newf(fault.Metadata, "shape %s has an invalid length", abbreviate(raw))
		}
		shape[i] = int(n.Int64())
	}
	return shape, nil
}

// Parse parses a data type in any common form: a v3 name, a v2 typestring with or without its byte
// order, numpy's datetime64[ms], or the JSON of either format. The byte order is dropped, except in
// the fields of a structure.
func (t *Table) Parse(s string) (Type, error) {
	if s = strings.TrimSpace(s); s == "" {
		return nil, fault.Newf(fault.Metadata, "the data type is empty")
	}
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, `"`) {
		typ, err := t.ParseV3(json.RawMessage(s))
		if err != nil && strings.HasPrefix(s, `"`) {
			if v2, _, err2 := t.ParseV2(json.RawMessage(s), ""); err2 == nil {
				return v2, nil
			}
		}
		return typ, err
	}
	if strings.HasPrefix(s, "[") {
		typ, _, err := t.ParseV2(json.RawMessage(s), "")
		return typ, err
	}
	if raw, err := json.Marshal(s); err == nil {
		typ, err := t.ParseV3(raw)
		if err == nil || !errors.Is(err, errors.ErrUnsupported) && digits(s[1:]) {
			return typ, err
		}
	}
	name := strings.TrimPrefix(s, "numpy.")
	for _, times := range [...]string{"datetime64", "timedelta64"} {
		if unit, ok := strings.CutPrefix(name, times); ok {
			return parseSuffix(map[byte]byte{'d': 'M', 't': 'm'}[times[0]], unit)
		}
	}
	bareName := strings.TrimLeft(s, "<>|=")
	if typ, ok := t.v2[bareName]; ok {
		return typ, nil
	}
	if bareName != "" && (strings.ContainsRune("SaUVMm", rune(bareName[0])) && len(bareName) > 1 || code(bareName)) {
		if typ, err := t.bare(bareName, "", 0); !errors.Is(err, errors.ErrUnsupported) {
			return typ, err
		}
	}
	return nil, fault.Newf(errors.ErrUnsupported, "data type %.40q", s)
}
