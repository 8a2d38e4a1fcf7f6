package jsontext

import "math"

// Quoted returns a copy of v in which strings such as "NaN" replace NaN and the infinities, so that
// encoding/json can encode it. v consists of the types that encoding/json decodes JSON to, and
// json.Number; other values are returned unchanged.
func Quoted(v any) any {
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v):
			return names[0]
		case math.IsInf(v, 1):
			return names[1]
		case math.IsInf(v, -1):
			return names[2]
		}
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = Quoted(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[name] = Quoted(x)
		}
		return out
	}
	return v
}

// Floats replaces the objects of [AppendFloat] in v by NaN and the infinities, in place, and
// returns v. v consists of the types that encoding/json decodes JSON to, and json.Number.
func Floats(v any) any {
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			v[i] = Floats(x)
		}
	case map[string]any:
		if len(v) == 1 {
			switch v["float"] {
			case names[0]:
				return math.NaN()
			case names[1]:
				return math.Inf(1)
			case names[2]:
				return math.Inf(-1)
			}
		}
		for name, x := range v {
			v[name] = Floats(x)
		}
	}
	return v
}
