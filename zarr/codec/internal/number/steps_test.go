package number

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// whole64 returns integers as a block holds them.
func whole64(list ...int64) []uint64 {
	out := make([]uint64, len(list))
	for i, v := range list {
		out[i] = uint64(v)
	}
	return out
}

// TestWholeSteps checks that integers wrap in their own type, and that sums reverse differences,
// also across several blocks.
func TestWholeSteps(t *testing.T) {
	tests := []struct {
		name     string
		step     func(Type) Step
		of       dtype.Type
		in, want []uint64
	}{
		{"differences of int8", Differences, dtype.Int8, whole64(100, -100, 3), whole64(100, 56, 103)},
		{"differences of uint8", Differences, dtype.Uint8, whole64(1, 0, 255), whole64(1, 255, 255)},
		{"differences of bool", Differences, dtype.Bool, whole64(1, 1, 0, 1), whole64(1, 0, 1, 1)},
		{"sums of int8", Sums, dtype.Int8, whole64(100, 56, 103), whole64(100, -100, 3)},
		{"sums of uint8", Sums, dtype.Uint8, whole64(1, 255, 255), whole64(1, 0, 255)},
		{"sums of bool", Sums, dtype.Bool, whole64(0, 1, 0, 1), whole64(0, 1, 1, 1)},
		{"subtract", func(n Type) Step { return Subtract(n, 3) }, dtype.Int8, whole64(-128, 3), whole64(125, 0)},
		{"multiply", func(n Type) Step { return Multiply(n, 3) }, dtype.Uint8, whole64(100, 5), whole64(44, 15)},
	}
	for _, tt := range tests {
		whole, parts := &Block{N: len(tt.in)}, tt.step(of(t, tt.of))
		copy(whole.Int[:], tt.in)
		tt.step(of(t, tt.of))(whole)
		if !slices.Equal(whole.Int[:whole.N], tt.want) {
			t.Errorf("%s: %d, want %d", tt.name, whole.Int[:whole.N], tt.want)
		}
		var got []uint64
		for _, u := range tt.in {
			b := &Block{N: 1}
			b.Int[0] = u
			parts(b)
			got = append(got, b.Int[0])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, one by one: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestFloatSteps checks that every result is rounded to the precision of the type.
func TestFloatSteps(t *testing.T) {
	third := 1.0 / 3
	tests := []struct {
		name     string
		step     func(Type) Step
		of       dtype.Type
		in, want []float64
	}{
		{"differences", Differences, dtype.Float64, []float64{1, 4, 2}, []float64{1, 3, -2}},
		{"differences of float16", Differences, dtype.Float16, []float64{0.25, 2048, 2048}, []float64{0.25, 2048, 0}},
		{"sums", Sums, dtype.Float64, []float64{1, 3, -2}, []float64{1, 4, 2}},
		{"sums of float16", Sums, dtype.Float16, []float64{2048, 1}, []float64{2048, 2048}},
		{"add", func(n Type) Step { return Add(n, third) }, dtype.Float64, []float64{1}, []float64{1 + third}},
		{"add to float32", func(n Type) Step { return Add(n, third) }, dtype.Float32, []float64{1}, []float64{float64(float32(1 + third))}},
		{"minus", func(n Type) Step { return Minus(n, 0.5) }, dtype.Float32, []float64{2}, []float64{1.5}},
		{"times", func(n Type) Step { return Times(n, 2) }, dtype.Float16, []float64{40000, 3}, []float64{math.Inf(1), 6}},
		{"over", func(n Type) Step { return Over(n, 3) }, dtype.Float32, []float64{1}, []float64{float64(float32(third))}},
		{"around", func(Type) Step { return Around }, dtype.Float64, []float64{0.5, 1.5, -2.5, 2.6}, []float64{0, 2, -2, 3}},
	}
	for _, tt := range tests {
		b := &Block{N: len(tt.in)}
		copy(b.Re[:], tt.in)
		tt.step(of(t, tt.of))(b)
		if !slices.Equal(b.Re[:b.N], tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, b.Re[:b.N], tt.want)
		}
	}
	b, n := &Block{N: 3}, of(t, dtype.Complex64)
	copy(b.Re[:], []float64{1, 4, 2})
	copy(b.Im[:], []float64{5, 5, 8})
	if Differences(n)(b); !slices.Equal(b.Re[:3], []float64{1, 3, -2}) || !slices.Equal(b.Im[:3], []float64{5, 0, 3}) {
		t.Errorf("complex differences: %v %v", b.Re[:3], b.Im[:3])
	}
	if Sums(n)(b); !slices.Equal(b.Re[:3], []float64{1, 4, 2}) || !slices.Equal(b.Im[:3], []float64{5, 5, 8}) {
		t.Errorf("complex sums: %v %v", b.Re[:3], b.Im[:3])
	}
}

// TestCasts checks that casts from integers to floats round once, and that both parts of complex
// numbers, and NaNs, are narrowed.
func TestCasts(t *testing.T) {
	for _, tt := range []struct {
		from, to dtype.Type
		in       uint64
		want     float64
	}{
		{dtype.Int64, dtype.Float64, 1<<64 - 5, -5},
		{dtype.Uint64, dtype.Float64, 1<<64 - 1, 1 << 64},
		{dtype.Int64, dtype.Float32, 1<<24 + 1, 1 << 24},
		// Rounding to float64 first would make the next number a tie.
		{dtype.Uint64, dtype.Float32, 1<<63 + 1<<39 + 1, 1<<63 + 1<<40},
	} {
		b := &Block{N: 1}
		b.Int[0], b.Im[0] = tt.in, 7
		if Cast(of(t, tt.from), of(t, tt.to))(b); b.Re[0] != tt.want || b.Im[0] != 0 {
			t.Errorf("%#x of %v as %v: %v and %v, want %v", tt.in, tt.from, tt.to, b.Re[0], b.Im[0], tt.want)
		}
	}
	b := &Block{N: 1}
	b.Re[0], b.Im[0] = 1.0/3, 2.0/3
	if Cast(of(t, dtype.Complex128), of(t, dtype.Complex64))(b); b.Re[0] != float64(float32(1.0/3)) || b.Im[0] != float64(float32(2.0/3)) {
		t.Errorf("complex128 as complex64: %v, %v", b.Re[0], b.Im[0])
	}
	signalling := math.Float64frombits(0x7ff0_0000_2000_0000)
	b.Re[0] = signalling
	if Cast(of(t, dtype.Float32), of(t, dtype.Float64))(b); math.Float64bits(b.Re[0]) != 0x7ff8_0000_2000_0000 {
		t.Errorf("a signalling NaN of float32 as float64 is %#x", math.Float64bits(b.Re[0]))
	}
}

// TestOutside checks numbers out of range in each of the three modes.
func TestOutside(t *testing.T) {
	type result struct {
		v  Value
		ok bool
	}
	none, whole, float := result{}, func(v int64) result { return result{Value{Int: uint64(v)}, true} }, func(f float64) result { return result{Value{Float: f}, true} }
	tests := []struct {
		name                string
		from, to            dtype.Type
		in                  Value
		refuse, clamp, wrap result
	}{
		{"in range", dtype.Float64, dtype.Int8, Value{Float: -127.6}, whole(-128), whole(-128), whole(-128)},
		{"above", dtype.Float64, dtype.Int8, Value{Float: 128}, none, whole(127), whole(-128)},
		{"below", dtype.Float64, dtype.Uint8, Value{Float: -1}, none, whole(0), whole(255)},
		{"far below", dtype.Float64, dtype.Uint8, Value{Float: -math.Ldexp(1, 70)}, none, whole(0), whole(0)},
		{"infinite", dtype.Float64, dtype.Int16, Value{Float: math.Inf(-1)}, none, whole(-32768), none},
		{"no number", dtype.Float64, dtype.Int16, Value{Float: math.NaN()}, none, none, none},
		{"whole, in range", dtype.Int16, dtype.Int8, Value{Int: 100}, whole(100), whole(100), whole(100)},
		{"whole, above", dtype.Int16, dtype.Int8, Value{Int: 300}, none, whole(127), whole(44)},
		{"whole, below", dtype.Int16, dtype.Uint8, Value{Int: 1<<64 - 2}, none, whole(0), whole(254)},
		{"whole, unsigned", dtype.Uint64, dtype.Int64, Value{Int: 1 << 63}, none, whole(math.MaxInt64), whole(math.MinInt64)},
		{"float, above", dtype.Float64, dtype.Float16, Value{Float: 1e6}, none, float(65504), none},
		{"float, infinite", dtype.Float64, dtype.Float16, Value{Float: math.Inf(1)}, float(math.Inf(1)), float(math.Inf(1)), float(math.Inf(1))},
		{"whole as float, above", dtype.Uint32, dtype.Float16, Value{Int: 70000}, none, float(65504), none},
		{"whole as double", dtype.Int64, dtype.Float64, Value{Int: 1<<64 - 3}, float(-3), float(-3), float(-3)},
	}
	for _, tt := range tests {
		for o, want := range map[Outside]result{Refuse: tt.refuse, Clamp: tt.clamp, Wrap: tt.wrap} {
			b := &Block{N: 1}
			b.Int[0], b.Re[0] = tt.in.Int, tt.in.Float
			Convert(of(t, tt.from), of(t, tt.to), NearestEven, o, nil)(b)
			switch {
			case !want.ok && !errors.Is(b.Err, fault.Type):
				t.Errorf("%s, %s: %v, %v", tt.name, o, Value{b.Int[0], b.Re[0]}, b.Err)
			case want.ok && (b.Err != nil || want.v != Value{b.Int[0], b.Re[0]}):
				t.Errorf("%s, %s: %v, %v, want %v", tt.name, o, Value{b.Int[0], b.Re[0]}, b.Err, want.v)
			}
		}
	}
}

// TestPairs checks that the first matching pair maps a number, that mapped numbers are not
// converted, and that a NaN matches every NaN.
func TestPairs(t *testing.T) {
	nan := math.Float64frombits(0x7ff8_0000_0000_0123)
	b := &Block{N: 3}
	copy(b.Re[:], []float64{nan, 1e9, 4})
	pairs := []Pair{{Value{Float: math.NaN()}, Value{Int: 9}}, {Value{Float: 1e9}, Value{Int: 8}}, {Value{Float: 1e9}, Value{Int: 7}}}
	Convert(of(t, dtype.Float64), of(t, dtype.Uint8), NearestEven, Refuse, pairs)(b)
	if b.Err != nil || !slices.Equal(b.Int[:3], whole64(9, 8, 4)) {
		t.Errorf("%d, %v", b.Int[:3], b.Err)
	}
	b = &Block{N: 2}
	copy(b.Int[:], whole64(-1, 5))
	Convert(of(t, dtype.Int16), of(t, dtype.Uint8), NearestEven, Refuse, []Pair{{Value{Int: 1<<64 - 1}, Value{Int: 255}}})(b)
	if b.Err != nil || !slices.Equal(b.Int[:2], whole64(255, 5)) {
		t.Errorf("%d, %v", b.Int[:2], b.Err)
	}
}
