package cf

import (
	"math"
	"reflect"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Number is a Go type of stored values.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Float is a Go type of decoded values.
type Float interface{ ~float32 | ~float64 }

// stored converts a float that is in range to the stored type, with the sign that _Unsigned
// determines.
func stored[S Number](c *Coding, f float64) S {
	switch {
	case numeric.Kind(c.stored) == 'f' || !c.flipped:
		return S(f)
	case f < 0:
		return S(int64(f))
	}
	return S(uint64(f))
}

// bounds returns the range of floats that can be stored as integers: low ≤ f < high.
func (c *Coding) bounds() (low, high float64) {
	span := math.Ldexp(1, 8*c.stored.Size())
	if (numeric.Kind(c.stored) == 'i') != c.flipped {
		return -span / 2, span / 2
	}
	return 0, span
}

// values returns the missing values of c in the Go type S. The error is fault.Type if S is not the
// Go type of the stored data type, which is float32 for float16.
func values[S Number](c *Coding, dst, src int) (missing []S, err error) {
	memory := c.stored
	if memory == dtype.Float16 {
		memory = dtype.Float32
	}
	if got := reflect.TypeFor[S](); !memory.Fits(got) {
		return nil, fault.Newf(fault.Type, "variable %s: values must be %v, are %v", c.name, memory.Go(), got)
	}
	if dst != src {
		return nil, fault.Newf(fault.Type, "variable %s: the destination has %d values, want %d", c.name, dst, src)
	}
	for _, n := range c.missing {
		if numeric.Kind(c.stored) == 'f' {
			missing = append(missing, S(n.float))
		} else {
			missing = append(missing, S(n.bits))
		}
	}
	if c.hasNaT() {
		nat := int64(math.MinInt64)
		missing = append(missing, S(nat))
	}
	return missing, nil
}

// isMissing reports whether a stored value is missing.
func isMissing[S Number](c *Coding, missing []S, v S) bool {
	if v != v || slices.Contains(missing, v) {
		return true
	}
	if c.low == nil && c.high == nil {
		return false
	}
	f := number64(c, v)
	return c.low != nil && f < *c.low || c.high != nil && f > *c.high
}

// number64 returns a stored value as a float64, with the sign that _Unsigned determines.
func number64[S Number](c *Coding, v S) float64 {
	f := float64(v)
	if !c.flipped {
		return f
	}
	span := math.Ldexp(1, 8*c.stored.Size())
	switch {
	case f < 0:
		f += span
	case numeric.Kind(c.stored) == 'u' && f >= span/2:
		f -= span
	}
	return f
}
