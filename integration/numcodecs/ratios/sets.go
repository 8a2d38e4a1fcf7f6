package ratios

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Set is an array to encode: its bytes and the type of its elements.
type Set struct {
	Name  string
	DType string // numpy's name
	Bench bool   // used by the benchmark
	Bytes []byte
}

// piece is the length of the pieces that gzip and similar codecs, blosc and lz4 encode: 1 MiB.
const piece = 1 << 20

// Sets returns all arrays. They are the same on any machine, because every product is rounded
// separately.
func Sets() []Set {
	three, two := cube(0.05, 64), square(0.05, 64)
	return []Set{
		{"float32-3d", "<f4", true, float32s(three)},
		{"float32-2d", "<f4", true, float32s(two)},
		{"int16", "<i2", false, int16s(three, 64)},
		{"float64", "<f8", false, float64s(three[:len(three)/2])},
		{"unrounded", "<f4", false, float32s(cube(0.05, 0))},
		{"text", "|u1", false, text(piece)},
		{"sparse", "|u1", false, sparse(piece)},
	}
}

// cube returns a field of 64 × 128 × 128 values: waves along each axis, with noise. Values are
// rounded to multiples of 1/steps, unless steps is 0.
func cube(noise, steps float64) []float64 {
	r := rand.New(rand.NewPCG(7, 3))
	a, b, c := wave(64, 20), wave(128, 27), wave(128, 34)
	out := make([]float64, 0, len(a)*len(b)*len(c))
	for _, x := range a {
		for _, y := range b {
			for _, z := range c {
				out = append(out, measured(r, float64(x*10)+float64(float64(y*z)*15), noise, steps))
			}
		}
	}
	return out
}

// square returns a field like that of cube, but of 1024 × 1024 values.
func square(noise, steps float64) []float64 {
	r := rand.New(rand.NewPCG(7, 2))
	a, b := wave(1024, 20), wave(1024, 27)
	out := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, measured(r, float64(x*10)+float64(y*15), noise, steps))
		}
	}
	return out
}

// measured adds noise to a value and rounds it to multiples of 1/steps, like a sensor.
func measured(r *rand.Rand, value, noise, steps float64) float64 {
	value += float64(noise * normal(r))
	if steps == 0 {
		return value
	}
	return math.RoundToEven(float64(value*steps)) / steps
}

// normal returns a nearly normal random number: the sum of twelve numbers between 0 and 1, minus 6.
// The function of package rand is not used, because its results may depend on the processor.
func normal(r *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += float64(r.Uint64()>>11) / (1 << 53)
	}
	return sum
}

// wave returns n numbers: the sines of 0, 1/length, 2/length and so on. It computes them by
// rotating a unit vector.
func wave(n int, length float64) []float64 {
	angle := 1 / length
	sin, cos, term := 0.0, 0.0, 1.0
	for k := 0; k < 20; k += 2 { // a Taylor series
		cos += term
		term = float64(term*angle) / float64(k+1)
		sin += term
		term = -float64(term*angle) / float64(k+2)
	}
	out := make([]float64, n)
	x, y := 1.0, 0.0
	for i := range out {
		out[i] = y
		x, y = float64(x*cos)-float64(y*sin), float64(x*sin)+float64(y*cos)
	}
	return out
}

// sparse returns n elements like those of masks and labels: about one in a hundred is one of three
// numbers, and the others are zero.
func sparse(n int) []byte {
	r := rand.New(rand.NewPCG(7, 4))
	b := make([]byte, n)
	for range n / 100 {
		at := r.Uint64() % uint64(n)
		b[at] = byte(1 + r.Uint64()%3)
	}
	return b
}

func float32s(values []float64) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return b
}

func float64s(values []float64) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// int16s returns the values in the packed form that many files use: as int16 multiples of 1/steps.
func int16s(values []float64, steps float64) []byte {
	b := make([]byte, 0, 2*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(v*steps)))
	}
	return b
}
