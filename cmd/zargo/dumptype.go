package main

import (
	"math"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// cdlType returns the CDL type for a data type. If the types are not equivalent, note is the name
// of the data type. ok is false if no CDL type can represent the elements.
func cdlType(t dtype.Type) (kind cdl.Type, note string, ok bool) {
	switch t {
	case dtype.Bool, dtype.Int8:
		return cdl.Byte, "", true
	case dtype.Uint8:
		return cdl.UByte, "", true
	case dtype.Int16:
		return cdl.Short, "", true
	case dtype.Uint16:
		return cdl.UShort, "", true
	case dtype.Int32:
		return cdl.Int, "", true
	case dtype.Uint32:
		return cdl.UInt, "", true
	case dtype.Int64:
		return cdl.Int64, "", true
	case dtype.Uint64:
		return cdl.UInt64, "", true
	case dtype.Float32:
		return cdl.Float, "", true
	case dtype.Float64:
		return cdl.Double, "", true
	case dtype.String:
		return cdl.String, "", true
	case dtype.S(1):
		return cdl.Char, "", true
	case dtype.Int2, dtype.Int4:
		return cdl.Byte, t.String(), true
	case dtype.Uint2, dtype.Uint4:
		return cdl.UByte, t.String(), true
	}
	switch t := t.(type) {
	case dtype.S, dtype.U:
		return cdl.String, t.String(), true
	case dtype.DateTime, dtype.TimeDelta:
		return cdl.Int64, t.String(), true
	case dtype.Basic:
		if !strings.HasPrefix(t.String(), "complex") { // float16 and smaller floats
			return cdl.Float, t.String(), true
		}
	}
	return 0, "", false
}

// valueOf returns the element b as an int64, uint64 or float64, or nil if t is not numeric.
func valueOf(t dtype.Type, b []byte) any {
	kind, _, ok := cdlType(t)
	if !ok || len(b) != t.Size() {
		return nil
	}
	switch kind {
	case cdl.Byte, cdl.Short, cdl.Int, cdl.Int64:
		return converted[int64](t, b)
	case cdl.UByte, cdl.UShort, cdl.UInt, cdl.UInt64:
		return converted[uint64](t, b)
	case cdl.Float, cdl.Double:
		return converted[float64](t, b)
	}
	return nil
}

func converted[T any](t dtype.Type, b []byte) any {
	v := make([]T, 1)
	if convertNumbers(t, v, b) != nil {
		return nil
	}
	return v[0]
}

// isNaN reports whether an element is NaN.
func isNaN(v any) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}
