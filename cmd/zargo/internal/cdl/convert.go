package cdl

import "math"

// Convert converts a number to the Go type of a type of CDL: int64, uint64 or float64. It rounds
// values of type Float to float32. ok is false if v is not a number, or if t is an integer type
// that cannot represent v.
func Convert(t Type, v any) (n any, ok bool) {
	if t == Float || t == Double {
		var f float64
		switch v := v.(type) {
		case int64:
			f = float64(v)
		case uint64:
			f = float64(v)
		case float64:
			f = v
		default:
			return nil, false
		}
		if t == Float {
			f = float64(float32(f))
		}
		return f, true
	}
	if t > UInt64 {
		return nil, false
	}
	var negative bool
	var abs uint64
	switch v := v.(type) {
	case int64:
		negative, abs = v < 0, uint64(v)
		if negative {
			abs = -abs
		}
	case uint64:
		abs = v
	case float64:
		if v != math.Trunc(v) || math.Abs(v) >= 1<<63 {
			return nil, false
		}
		return Convert(t, int64(v))
	default:
		return nil, false
	}
	bits := 8 << (t / 2) // Byte, UByte, Short, UShort and so on
	if t%2 == 1 {
		return abs, !negative && abs<<(64-bits)>>(64-bits) == abs
	}
	most := uint64(1)<<(bits-1) - 1
	if negative {
		return int64(-abs), abs <= most+1
	}
	return int64(abs), abs <= most
}
