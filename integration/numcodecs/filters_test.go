package numcodecs_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zargo-io/zargo/integration/numcodecs"
	"github.com/zargo-io/zargo/zarr/dtype"
)

var (
	wholeTypes   = []string{"|b1", "|i1", "|u1", "<i2", ">i2", "<u2", ">i4", "<i4", ">u4", "<i8", ">i8", "<u8", ">u8"}
	floatTypes   = []string{"<f2", ">f2", "<f4", ">f4", "<f8", ">f8"}
	complexTypes = []string{"<c8", ">c8", "<c16", ">c16"}
	numberTypes  = slices.Concat(wholeTypes, floatTypes, complexTypes)
	scaledTypes  = slices.DeleteFunc(slices.Concat(wholeTypes, floatTypes), func(s string) bool { return s[1:] == "u4" }) // see pick
)

// filters returns the rows of array filters. They are exact: numcodecs and zargo write the same
// bytes.
func filters() []numcodecs.ID {
	return []numcodecs.ID{
		{ID: "delta", Types: wholeTypes, Cases: 4000, Config: deltaConfig(0), Contents: started, Elems: 3000, Exact: true, Lossy: true, NonEmpty: true},
		{ID: "delta", Name: " of floats", Types: []string{"<f2", "<f4", "<f8", "<c8", "<c16"}, Cases: 2000, Config: deltaConfig(dtype.Little), Contents: started,
			Elems: 3000, Exact: true, Lossy: true, NonEmpty: true},
		{ID: "delta", Name: " of big-endian floats", Types: []string{">f2", ">f4", ">f8", ">c8", ">c16"}, Cases: 2000, Config: deltaConfig(dtype.Big), Contents: started,
			Elems: 3000, Exact: true, Lossy: true, NonEmpty: true},
		{ID: "delta", Name: " of times", Types: []string{"<m8[ns]", ">m8[s]", "<M8[ns]"}, Cases: 1000, Config: timeConfig, Elems: 3000, Exact: true, Lossy: true, NonEmpty: true},
		{ID: "astype", Types: numberTypes, Cases: 8000, Config: asTypeConfig, Contents: mixture, Elems: 3000, Exact: true, Lossy: true},
		{ID: "fixedscaleoffset", Types: scaledTypes, Cases: 6000, Config: scaleConfig, Contents: mixture, Elems: 3000, Exact: true, Lossy: true},
		{ID: "astype", Name: " of uint32", Types: []string{"<f2", "<f4", "<f8"}, Cases: 1000, Config: to("<u4", ">u4"), Contents: within(-1<<31, 1<<32), Elems: 3000, Exact: true, Lossy: true},
		{ID: "quantize", Types: floatTypes, Cases: 3000, Config: quantizeConfig, Contents: mixture, Elems: 3000, Exact: true, Lossy: true},
		{ID: "bitround", Types: []string{"<f2", "<f4", "<f8"}, Cases: 3000, Config: bitroundConfig, Contents: mixture, Elems: 3000, Exact: true, Lossy: true},
		{ID: "packbits", Types: []string{"|b1"}, Cases: 2000, Exact: true, Elems: 5000},
	}
}

// spell returns the name of a data type in a random byte order.
func spell(r *rand.Rand, t dtype.Type) string {
	return spellIn(t, []dtype.Order{dtype.Little, dtype.Big}[r.IntN(2)])
}

func spellIn(t dtype.Type, o dtype.Order) string {
	raw, err := t.V2(o)
	if err != nil {
		panic(err) // t was parsed from v2 metadata
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	return s
}

func isFloat(t dtype.Type) bool {
	return t == dtype.Float16 || t == dtype.Float32 || t == dtype.Float64
}

// pick returns a random type of the list from. numpy must convert t to that type and back
// independently of the machine and of the position in the array. Conversions of floats outside the
// range of uint32 depend on both.
func pick(r *rand.Rand, t dtype.Type, from []string) string {
	for {
		s := from[r.IntN(len(from))]
		whole := !isFloat(t) && t != dtype.Complex64 && t != dtype.Complex128
		if (s[1:] != "u4" || whole) && (t != dtype.Uint32 || s[1] != 'f' && s[1] != 'c') {
			return s
		}
	}
}

// to returns configurations of astype from little-endian elements to one of the types.
func to(types ...string) func(*rand.Rand, dtype.Type) numcodecs.Config {
	return func(r *rand.Rand, t dtype.Type) numcodecs.Config {
		return numcodecs.Config{"decode_dtype": fmt.Sprintf("<f%d", t.Size()), "encode_dtype": types[r.IntN(len(types))]}
	}
}

// deltaConfig returns configurations that view an array in the byte order o, or in any. Floats are
// viewed as floats: the compiler decides which of two NaNs a sum returns, so the only NaNs must be
// those that the processor produces.
func deltaConfig(o dtype.Order) func(*rand.Rand, dtype.Type) numcodecs.Config {
	return func(r *rand.Rand, t dtype.Type) numcodecs.Config {
		c := numcodecs.Config{"dtype": spell(r, t)}
		if o != dtype.NoOrder {
			c["dtype"] = spellIn(t, o)
		}
		if r.IntN(3) > 0 {
			c["astype"] = pick(r, t, numberTypes)
		}
		return c
	}
}

func timeConfig(r *rand.Rand, _ dtype.Type) numcodecs.Config {
	typ := []string{"<i8", ">i8", "<m8[ns]", ">m8[s]"}[r.IntN(4)]
	return numcodecs.Config{"dtype": typ, "astype": typ}
}

func asTypeConfig(r *rand.Rand, t dtype.Type) numcodecs.Config {
	return numcodecs.Config{"decode_dtype": spell(r, t), "encode_dtype": pick(r, t, numberTypes)}
}

// scaleConfig returns whole numbers in the range of the type, and for floats also fractions,
// because 1 and 1.0 differ in Python.
func scaleConfig(r *rand.Rand, t dtype.Type) numcodecs.Config {
	c := numcodecs.Config{"dtype": spell(r, t), "offset": r.IntN(100), "scale": 1 + r.IntN(100)}
	if isFloat(t) || r.IntN(2) == 0 {
		c["offset"] = []any{json.RawMessage("0.0"), json.RawMessage("-1.0"), 0.5, -273.15, json.RawMessage("1e10"), r.NormFloat64()*1000 + 0.1}[r.IntN(6)]
		c["scale"] = []any{json.RawMessage("1.0"), json.RawMessage("100.0"), 0.1, -2.5, 1e-3, r.NormFloat64()*100 + 0.1}[r.IntN(6)]
	}
	if isFloat(t) && r.IntN(3) == 0 {
		c["offset"], c["scale"] = between(r, -70000, 70000), []int{-7, 1, 10, 70000}[r.IntN(4)]
	}
	if r.IntN(3) > 0 {
		c["astype"] = scaledTypes[r.IntN(len(scaledTypes))]
	}
	return c
}

func quantizeConfig(r *rand.Rand, t dtype.Type) numcodecs.Config {
	c := numcodecs.Config{"dtype": spell(r, t), "digits": []int{0, 1, 2, 3, 5, 8, 12, 40, 300, -1, -3, -20}[r.IntN(12)]}
	if r.IntN(2) == 0 {
		c["astype"] = floatTypes[r.IntN(len(floatTypes))]
	}
	return c
}

func bitroundConfig(r *rand.Rand, t dtype.Type) numcodecs.Config {
	most := map[int]int{2: 10, 4: 23, 8: 52}[t.Size()]
	return numcodecs.Config{"keepbits": r.IntN(most + 1)}
}

// started fills an array that starts with 0 and contains no NaN. numpy converts the first element
// separately, and refuses values that it wraps in other elements.
func started(r *rand.Rand, t dtype.Type, array []byte) {
	if size := floatSize(t); size > 0 {
		walk(r, size, array, false)
	} else {
		numcodecs.Contents(r, t, array)
	}
	clear(array[:min(len(array), t.Size())])
}

// within returns a function that fills an array of floats with numbers between lo and hi, of any
// magnitude.
func within(lo, hi float64) func(*rand.Rand, dtype.Type, []byte) {
	return func(r *rand.Rand, t dtype.Type, array []byte) {
		for i := 0; i < len(array); i += t.Size() {
			f := lo + (hi-lo)*r.Float64()*0.999
			if r.IntN(2) == 0 {
				f = math.Ldexp(f, -r.IntN(40))
			}
			if t == dtype.Float16 {
				f = math.Mod(f, 65504)
			}
			putFloat(array[i:i+t.Size()], f)
		}
	}
}

func putFloat(b []byte, f float64) {
	switch len(b) {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(dtype.F16From(float32(f))))
	case 4:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(f)))
	default:
		binary.LittleEndian.PutUint64(b, math.Float64bits(f))
	}
}

// mixture fills an array with numbers of its type: close to each other, close to the limits of
// every integer type, special values, and noise.
func mixture(r *rand.Rand, t dtype.Type, array []byte) {
	size := floatSize(t)
	if size == 0 || r.IntN(5) == 0 {
		numcodecs.Contents(r, t, array)
		return
	}
	walk(r, size, array, true)
}

// floatSize returns the size of one float of an element, or 0 for other types.
func floatSize(t dtype.Type) int {
	switch {
	case t == dtype.Complex64 || t == dtype.Complex128:
		return t.Size() / 2
	case isFloat(t):
		return t.Size()
	}
	return 0
}

func walk(r *rand.Rand, size int, array []byte, nan bool) {
	scale, base := math.Pow(10, float64(between(r, -5, 6))), r.NormFloat64()*1000
	special := r.IntN(3) == 0
	for i := 0; i+size <= len(array); i += size {
		f := base + scale*r.NormFloat64()
		switch {
		case special:
			f = specials[r.IntN(len(specials))]
			if r.IntN(2) == 0 {
				f += float64(r.IntN(9))/4 - 1
			}
			if f != f && !nan {
				f = 0
			}
		case r.IntN(8) == 0:
			f = math.Round(f) + 0.5
		}
		putFloat(array[i:i+size], f)
	}
}

// specials are zeros, limits of ranges, infinities and NaN.
var specials = []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, -1e-40, 6e-8, 65504, 65520, 1e38, -3.5e38, 1e308,
	1 << 7, -1 << 7, 1 << 8, 1 << 15, -1 << 15, 1 << 16, 1 << 31, -1 << 31, 1 << 32, -1 << 32, 1 << 53, 1 << 63, -1 << 63, 1 << 64, -1 << 64, 1.5, 2.5, -0.5}
