package reading

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
)

// attrsOf converts attributes and sorts them by name. kind is the type of the variable, or nil.
//
// JSON has only one numeric type. Integers become int, or a longer type if they need it, and other
// numbers become double. Some attributes, such as valid_min, have the type of the variable by the
// CF conventions. Values without an equivalent in CDL, such as objects, become strings that contain
// their JSON.
func attrsOf(attrs map[string]any, kind *cdl.Type) []cdl.Attr {
	var out []cdl.Attr
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		a := cdl.Attr{Name: name, Type: cdl.Char}
		list, isList := attrs[name].([]any)
		if !isList {
			list = []any{attrs[name]}
		}
		like := kind
		switch name {
		case "missing_value", "valid_min", "valid_max", "valid_range", "flag_values", "flag_masks", "_FillValue":
		default:
			like = nil
		}
		switch texts, ok := textsOf(list); {
		case numbersOf(&a, list, like):
		case ok && len(list) > 1 || ok && like != nil && *like == cdl.String:
			a.Type, a.Values = cdl.String, texts
		case ok:
			a.Values = texts
		default:
			text, err := render.AttrValue(attrs[name])
			if err != nil {
				continue // cannot happen: encoding/json has decoded the value
			}
			a.Values, a.Note = []any{text}, "JSON"
		}
		out = append(out, a)
	}
	return out
}

// textsOf reports whether all values are strings, and returns them.
func textsOf(list []any) ([]any, bool) {
	for _, v := range list {
		if _, ok := v.(string); !ok {
			return nil, false
		}
	}
	return list, true
}

// numbersOf sets the type and the values of an attribute and reports true if all values are
// numbers. like is the type of the variable if the attribute should have that type, or nil.
func numbersOf(a *cdl.Attr, list []any, like *cdl.Type) bool {
	values := make([]any, len(list))
	kind := cdl.Int
	for i, v := range list {
		n, ok := numberOf(v, like)
		if !ok {
			return false
		}
		values[i] = n
		switch n := n.(type) {
		case float64:
			kind = cdl.Double
		case uint64:
			kind = max(kind, cdl.UInt64)
		case int64:
			if n != int64(int32(n)) {
				kind = max(kind, cdl.Int64)
			}
		}
	}
	if len(values) == 0 {
		return false
	}
	if like != nil {
		if typed, ok := as(*like, values); ok {
			a.Type, a.Values = *like, typed
			return true
		}
	}
	if kind == cdl.UInt64 && slices.ContainsFunc(values, func(v any) bool { n, ok := v.(int64); return ok && n < 0 }) {
		kind = cdl.Double
	}
	typed, _ := as(kind, values)
	a.Type, a.Values = kind, typed
	return typed != nil
}

// numberOf converts a number of an attribute to int64, uint64 or float64. If like is a
// floating-point type, it also converts the strings for NaN and the infinities.
func numberOf(v any, like *cdl.Type) (any, bool) {
	text := ""
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		text = v.String()
	case string:
		if like == nil || *like != cdl.Float && *like != cdl.Double {
			return nil, false
		}
		switch v {
		case "NaN":
			return math.NaN(), true
		case "Infinity", "-Infinity":
			f, err := strconv.ParseFloat(v, 64)
			return f, err == nil
		}
		return nil, false
	default:
		return nil, false
	}
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return n, true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// as converts numbers to a type. ok is false if the type cannot represent one of them.
func as(kind cdl.Type, values []any) (typed []any, ok bool) {
	typed = make([]any, len(values))
	for i, v := range values {
		if typed[i], ok = cdl.Convert(kind, v); !ok {
			return nil, false
		}
	}
	return typed, true
}
