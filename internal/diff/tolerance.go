package diff

import (
	"encoding/binary"
	"math"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Tolerance permits differences between floats a and b, as numpy.isclose does: they are equal if
// |a - b| ≤ Abs + Rel·|b|, if both are NaN, or if they are the same infinity. The expression is
// computed in float64. Elements of other data types must be equal bit by bit.
type Tolerance struct{ Rel, Abs float64 }

// closeness returns a function that compares two floats of a data type by the tolerance. The second
// result of that function is |a - b|, or 0 if one of them is not finite. closeness returns nil for
// data types other than float16, float32 and float64, and for a nil tolerance.
func (t *Tolerance) closeness(of dtype.Type) func(x, y []byte) (equal bool, by float64) {
	var float func(b []byte) float64
	switch le := binary.LittleEndian; {
	case t == nil:
		return nil
	case of == dtype.Float16:
		float = func(b []byte) float64 { return float64(dtype.F16(le.Uint16(b)).Float32()) }
	case of == dtype.Float32:
		float = func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }
	case of == dtype.Float64:
		float = func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }
	default:
		return nil
	}
	return func(x, y []byte) (bool, float64) {
		a, b := float(x), float(y)
		by := math.Abs(a - b)
		switch {
		case a == b || math.IsNaN(a) && math.IsNaN(b):
			return true, 0
		case math.IsNaN(a) || math.IsInf(a, 0) || math.IsNaN(b) || math.IsInf(b, 0):
			return false, 0
		}
		return by <= t.Abs+t.Rel*math.Abs(b), min(by, math.MaxFloat64)
	}
}
