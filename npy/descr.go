package npy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// typeOf parses the value of "descr" in the header: a typestring, or a list of fields.
func typeOf(v any) (dtype.Type, dtype.Order, error) {
	if s, ok := v.(string); ok && strings.HasPrefix(s, "|O") {
		return nil, dtype.NoOrder, fault.Newf(errors.ErrUnsupported, "pickled objects are not supported (descr %q)", s)
	}
	plain, err := jsonOf(v)
	if err != nil {
		return nil, dtype.NoOrder, err
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		return nil, dtype.NoOrder, err
	}
	t, o, err := dtype.ParseV2(raw)
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Limit):
		return nil, o, fmt.Errorf("descr %s: %w", brief(raw), err)
	case err != nil:
		return nil, o, fault.Newf(fault.Corrupt, "descr %s is not a data type", brief(raw))
	case !numpyHas(t):
		return nil, o, fault.Newf(fault.Corrupt, "descr %s is not a data type of numpy", brief(raw))
	}
	return t, o, nil
}

func brief(raw []byte) string {
	if len(raw) > 60 {
		return strings.ToValidUTF8(string(raw[:60]), "") + "…"
	}
	return string(raw)
}

// jsonOf converts descr to the JSON form of Zarr v2 metadata. A field is a tuple of a name, a type
// and optionally a shape. The name may be a pair of a title and a name.
func jsonOf(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case list:
		fields := make([]any, len(v))
		for i, f := range v {
			parts, ok := f.(tuple)
			if !ok || len(parts) < 2 || len(parts) > 3 {
				return nil, fault.Newf(fault.Corrupt, "a field of descr must be a tuple of a name, a type and an optional shape")
			}
			name := parts[0]
			if titled, ok := name.(tuple); ok && len(titled) == 2 {
				name = titled[1]
			}
			if s, ok := name.(string); ok && s == "" {
				return nil, fault.Newf(errors.ErrUnsupported, "structured data types with padding between fields are not supported")
			}
			of, err := jsonOf(parts[1])
			if err != nil {
				return nil, err
			}
			field := []any{name, of}
			if len(parts) == 3 {
				shape, err := shapeOf(parts[2])
				if err != nil {
					return nil, err
				}
				field = append(field, shape)
			}
			fields[i] = field
		}
		return fields, nil
	}
	return nil, fault.Newf(fault.Corrupt, "descr must be a string or a list")
}

// numpyHas reports whether NumPy has a data type of its own for t.
func numpyHas(t dtype.Type) bool {
	switch t := t.(type) {
	case dtype.Basic:
		return t <= dtype.Complex128
	case *dtype.Struct:
		for _, f := range t.Fields() {
			if !numpyHas(f.Type) {
				return false
			}
		}
		return true
	case dtype.S, dtype.U, dtype.V, dtype.R, dtype.DateTime, dtype.TimeDelta:
		return true
	}
	return false
}

// appendDescr appends the "descr" of a type, as Python prints it.
func appendDescr(dst []byte, t dtype.Type, o dtype.Order) ([]byte, error) {
	if !numpyHas(t) {
		return dst, fault.Newf(errors.ErrUnsupported, "numpy has no data type %v", t)
	}
	s, ok := t.(*dtype.Struct)
	if !ok {
		raw, err := t.V2(o)
		if err != nil {
			return dst, err
		}
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return dst, fault.Newf(errors.ErrUnsupported, ".npy files cannot store the data type %v", t)
		}
		return appendText(dst, text), nil
	}
	dst = append(dst, '[')
	for i, f := range s.Fields() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		order := f.Order
		if order == dtype.NoOrder {
			order = o
		}
		dst = append(appendText(append(dst, '('), f.Name), ", "...)
		var err error
		if dst, err = appendDescr(dst, f.Type, order); err != nil {
			return dst, err
		}
		if len(f.Shape) > 0 {
			dst = append(append(dst, ", "...), tupleText(f.Shape)...)
		}
		dst = append(dst, ')')
	}
	return append(dst, ']'), nil
}

// appendText appends a string as Python's repr formats it. It treats all characters outside ASCII
// as printable.
func appendText(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for _, r := range s {
		switch {
		case r == '\\' || r == rune(quote):
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < ' ' || r >= 0x7f && r < 0xa1 || r == 0xad:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case !strconv.IsPrint(r) && r <= math.MaxUint16:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		case !strconv.IsPrint(r):
			dst = fmt.Appendf(dst, `\U%08x`, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, quote)
}
