package diff

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Tolerance permits differences between numbers a and b, as numpy.isclose does: they are equal if
// |a - b| ≤ Abs + Rel·|b|, if both are NaN, or if they are the same infinity. Differences of
// integers are exact. Other expressions are computed in float64. Times and time differences are
// integers in their unit, and NaT equals only itself. A complex number is near another if its
// distance is within the tolerance. The numeric fields of structures have the tolerance too.
//
// Elements and fields of other data types, such as bool and text, must be equal.
type Tolerance struct{ Rel, Abs float64 }

// closeness compares two elements. by is the distance of two finite numbers, and otherwise 0.
type closeness func(x, y []byte) (equal bool, by float64)

// closeness returns the function that compares two elements of a data type by the tolerance. It
// returns nil for data types without numbers, and for a nil tolerance.
func (t *Tolerance) closeness(of dtype.Type) closeness {
	if t == nil {
		return nil
	}
	switch of := of.(type) {
	case dtype.Basic:
		return t.basic(of)
	case dtype.DateTime, dtype.TimeDelta:
		return t.integers(true, func(x, y []byte) bool { return isNaT(x) || isNaT(y) })
	case *dtype.Struct:
		return t.fields(of)
	}
	return nil
}

func isNaT(b []byte) bool { return int64(binary.LittleEndian.Uint64(b)) == dtype.NaT }

func (t *Tolerance) basic(of dtype.Basic) closeness {
	switch of {
	case dtype.Bool:
		return nil
	case dtype.Int2, dtype.Int4, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64:
		return t.integers(true, nil)
	case dtype.Uint2, dtype.Uint4, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64:
		return t.integers(false, nil)
	}
	size := of.Size()
	one := floatOf(of)
	if one == nil {
		return nil
	}
	if strings.HasPrefix(of.String(), "complex") {
		half := size / 2
		return func(x, y []byte) (bool, float64) {
			return t.near(one(x[:half]), one(x[half:]), one(y[:half]), one(y[half:]))
		}
	}
	return func(x, y []byte) (bool, float64) { return t.near(one(x), 0, one(y), 0) }
}

// near compares two complex numbers.
func (t *Tolerance) near(a, ai, b, bi float64) (bool, float64) {
	switch {
	case (math.IsNaN(a) || math.IsNaN(ai)) && (math.IsNaN(b) || math.IsNaN(bi)), a == b && ai == bi:
		return true, 0
	case !finite(a) || !finite(ai) || !finite(b) || !finite(bi):
		return false, 0
	}
	by := math.Hypot(a-b, ai-bi)
	return by <= t.Abs+t.Rel*math.Hypot(b, bi), min(by, math.MaxFloat64)
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// integers compares integers of any size. If the function apart is not nil and returns true, the
// elements are equal only bit by bit.
func (t *Tolerance) integers(signed bool, apart func(x, y []byte) bool) closeness {
	return func(x, y []byte) (bool, float64) {
		if bytes.Equal(x, y) {
			return true, 0
		}
		if apart != nil && apart(x, y) {
			return false, 0
		}
		a, b := integer(x, signed), integer(y, signed)
		by, size := a-b, float64(b)
		if signed {
			if int64(a) < int64(b) {
				by = b - a
			}
			size = math.Abs(float64(int64(b)))
		} else if a < b {
			by = b - a
		}
		within := t.Abs + t.Rel*size
		return within >= 1<<64 || by <= uint64(within), float64(by)
	}
}

// integer returns an integer in memory form as 64 bits.
func integer(b []byte, signed bool) uint64 {
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	if shift := 64 - 8*len(b); signed && shift > 0 {
		v = uint64(int64(v<<shift) >> shift)
	}
	return v
}

// fields compares structures. It returns nil if no field has numbers.
func (t *Tolerance) fields(of *dtype.Struct) closeness {
	type field struct {
		from, size, n int
		close         closeness // nil to compare bytes
	}
	var all []field
	some := false
	for _, f := range of.Fields() {
		n := 1
		for _, length := range f.Shape {
			n *= length
		}
		c := t.closeness(f.Type)
		some = some || c != nil
		all = append(all, field{f.Offset, f.Type.Size(), n, c})
	}
	if !some {
		return nil
	}
	return func(x, y []byte) (bool, float64) {
		equal, largest := true, 0.0
		for _, f := range all {
			for i := range f.n {
				p, q := x[f.from+i*f.size:][:f.size], y[f.from+i*f.size:][:f.size]
				if bytes.Equal(p, q) {
					continue
				}
				if f.close == nil {
					equal = false
					continue
				}
				same, by := f.close(p, q)
				equal, largest = equal && same, max(largest, by)
			}
		}
		return equal, largest
	}
}

// floatOf returns the function that converts a float of a data type, or a component of a complex
// number. It returns nil for other data types.
func floatOf(of dtype.Basic) func(b []byte) float64 {
	le := binary.LittleEndian
	switch of {
	case dtype.Float16, dtype.ComplexFloat16:
		return func(b []byte) float64 { return float64(dtype.F16(le.Uint16(b)).Float32()) }
	case dtype.Float32, dtype.Complex64:
		return func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }
	case dtype.Float64, dtype.Complex128:
		return func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }
	case dtype.BFloat16, dtype.ComplexBFloat16:
		return smallFloat[dtype.BF16]
	case dtype.Float8E3M4, dtype.ComplexFloat8E3M4:
		return smallFloat[dtype.F8E3M4]
	case dtype.Float8E4M3, dtype.ComplexFloat8E4M3:
		return smallFloat[dtype.F8E4M3]
	case dtype.Float8E4M3B11FNUZ, dtype.ComplexFloat8E4M3B11FNUZ:
		return smallFloat[dtype.F8E4M3B11FNUZ]
	case dtype.Float8E4M3FN, dtype.ComplexFloat8E4M3FN:
		return smallFloat[dtype.F8E4M3FN]
	case dtype.Float8E4M3FNUZ, dtype.ComplexFloat8E4M3FNUZ:
		return smallFloat[dtype.F8E4M3FNUZ]
	case dtype.Float8E5M2, dtype.ComplexFloat8E5M2:
		return smallFloat[dtype.F8E5M2]
	case dtype.Float8E5M2FNUZ, dtype.ComplexFloat8E5M2FNUZ:
		return smallFloat[dtype.F8E5M2FNUZ]
	case dtype.Float8E8M0FNU, dtype.ComplexFloat8E8M0FNU:
		return smallFloat[dtype.F8E8M0FNU]
	case dtype.Float6E2M3FN, dtype.ComplexFloat6E2M3FN:
		return smallFloat[dtype.F6E2M3FN]
	case dtype.Float6E3M2FN, dtype.ComplexFloat6E3M2FN:
		return smallFloat[dtype.F6E3M2FN]
	case dtype.Float4E2M1FN, dtype.ComplexFloat4E2M1FN:
		return smallFloat[dtype.F4E2M1FN]
	}
	return nil
}

func smallFloat[T dtype.SmallFloat](b []byte) float64 {
	var bits uint16
	for i, c := range b {
		bits |= uint16(c) << (8 * i)
	}
	return float64(T(bits).Float32())
}

// effective returns fault.Selection if the nodes have arrays at common paths, but the tolerance
// does not apply to the data type of any of them.
func (t *Tolerance) effective(x, y *tree) error {
	if t == nil {
		return nil
	}
	var without dtype.Type
	for path := range x.nodes {
		a, b := x.array(path), y.array(path)
		if a == nil || b == nil || unlike(a, b) != "" {
			continue
		}
		if t.closeness(a.DType()) != nil {
			return nil
		}
		without = a.DType()
	}
	if without == nil {
		return nil
	}
	return fault.Newf(fault.Selection, "a tolerance has no effect: it applies to numbers, not to elements of %v", without)
}
