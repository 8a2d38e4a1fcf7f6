package render

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// element appends the text of one element to dst. b is the element in memory form.
type element func(dst, b []byte) []byte

// form is an output format.
type form uint8

const (
	formText form = iota
	formJSON
	formCSV
)

// elements returns the function that formats elements of a data type. Integers are exact. Floats
// are formatted as the shortest decimal that parses to the same bits in their own precision.
func elements(t dtype.Type, s spelling) (element, error) {
	if d, ok := t.(Decoded); ok {
		return s.decoded(d)
	}
	le := binary.LittleEndian
	switch t {
	case dtype.Bool:
		return func(dst, b []byte) []byte {
			if b[0] != 0 {
				return append(dst, s.yes...)
			}
			return append(dst, s.no...)
		}, nil
	case dtype.Int8:
		return func(dst, b []byte) []byte { return strconv.AppendInt(dst, int64(int8(b[0])), 10) }, nil
	case dtype.Int16:
		return func(dst, b []byte) []byte { return strconv.AppendInt(dst, int64(int16(le.Uint16(b))), 10) }, nil
	case dtype.Int32:
		return func(dst, b []byte) []byte { return strconv.AppendInt(dst, int64(int32(le.Uint32(b))), 10) }, nil
	case dtype.Int64:
		return func(dst, b []byte) []byte { return strconv.AppendInt(dst, int64(le.Uint64(b)), 10) }, nil
	case dtype.Uint8:
		return func(dst, b []byte) []byte { return strconv.AppendUint(dst, uint64(b[0]), 10) }, nil
	case dtype.Uint16:
		return func(dst, b []byte) []byte { return strconv.AppendUint(dst, uint64(le.Uint16(b)), 10) }, nil
	case dtype.Uint32:
		return func(dst, b []byte) []byte { return strconv.AppendUint(dst, uint64(le.Uint32(b)), 10) }, nil
	case dtype.Uint64:
		return func(dst, b []byte) []byte { return strconv.AppendUint(dst, le.Uint64(b), 10) }, nil
	case dtype.Float16:
		return s.half, nil
	case dtype.Float32:
		return s.single, nil
	case dtype.Float64:
		return s.double, nil
	case dtype.Complex64:
		return s.complex(s.single, 4), nil
	case dtype.Complex128:
		return s.complex(s.double, 8), nil
	}
	return s.typed(t)
}

// spelling determines how elements are formatted: the names of NaN, the infinities and the
// booleans, and the form of complex numbers.
type spelling struct {
	nan, inf, negInf string
	yes, no          string
	pair             bool // complex numbers as [re, im] instead of re+imj
	form             form
}

func (s spelling) half(dst, b []byte) []byte {
	return s.float(dst, shortHalf(dtype.F16(binary.LittleEndian.Uint16(b))), 64)
}

func (s spelling) single(dst, b []byte) []byte {
	return s.float(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
}

func (s spelling) double(dst, b []byte) []byte {
	return s.float(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
}

// float formats f, a number with the given number of bits. From 1e-6 up to 1e21 it does not use an
// exponent, like JavaScript and encoding/json.
func (s spelling) float(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, s.nan...)
	case math.IsInf(f, 1):
		return append(dst, s.inf...)
	case math.IsInf(f, -1):
		return append(dst, s.negInf...)
	}
	small, large := 1e-6, 1e21
	if bits == 32 { // compare in the precision that is printed
		small, large = float64(float32(1e-6)), float64(float32(1e21))
	}
	if abs := math.Abs(f); abs != 0 && (abs < small || abs >= large) {
		return strconv.AppendFloat(dst, f, 'e', -1, bits)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bits)
}

func (s spelling) complex(part element, size int) element {
	return func(dst, b []byte) []byte {
		if s.pair {
			dst = append(dst, '[')
			dst = part(dst, b[:size])
			dst = append(dst, ", "...)
			dst = part(dst, b[size:])
			return append(dst, ']')
		}
		dst = part(dst, b[:size])
		im := part(nil, b[size:])
		if im[0] != '-' {
			dst = append(dst, '+')
		}
		dst = append(dst, im...)
		return append(dst, 'j')
	}
}

// shortHalf returns the float64 with the fewest decimal digits, at most five, that rounds to h.
func shortHalf(h dtype.F16) float64 {
	v := float64(h.Float32())
	mag := h &^ 0x8000
	if mag == 0 || mag >= 0x7c00 {
		return v // zero, infinity, NaN
	}
	abs := math.Abs(v)
	next := 65536.0 // the value after the largest finite number
	if mag+1 < 0x7c00 {
		next = float64((mag + 1).Float32())
	}
	// A decimal strictly between these two midpoints, which are exact float64s, rounds to h.
	lo, hi := (abs+float64((mag-1).Float32()))/2, (abs+next)/2
	for digits := range 5 {
		d, err := strconv.ParseFloat(strconv.FormatFloat(abs, 'e', digits, 64), 64)
		if err == nil && lo < d && d < hi {
			return math.Copysign(d, v)
		}
	}
	return v
}

// jsonSpelling, csvSpelling and textSpelling return the spellings of the formats. JSON cannot
// represent NaN and infinities, so their names are quoted strings. All common CSV readers,
// including NumPy and pandas, parse the names in CSV.
func jsonSpelling() spelling {
	return spelling{`"NaN"`, `"Infinity"`, `"-Infinity"`, "true", "false", true, formJSON}
}
func csvSpelling() spelling {
	return spelling{"NaN", "Infinity", "-Infinity", "true", "false", false, formCSV}
}

func textSpelling() spelling {
	return spelling{"nan", "inf", "-inf", "true", "false", false, formText}
}
