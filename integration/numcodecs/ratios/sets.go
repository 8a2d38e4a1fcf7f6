package ratios

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Set is an array to encode: bytes, and what its elements are.
type Set struct {
	Name  string
	DType string // as numpy names it
	Bench bool   // one of the benchmark's
	Bytes []byte
}

// piece is what gzip and its like, blosc and lz4 are given at once: 1 MiB.
const piece = 1 << 20

// Sets makes all arrays: the same on any machine, so every product is rounded by itself.
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

// cube is a field of 64 by 128 by 128: waves along each axis and noise, in steps of 1/steps, or as
// it comes where steps is 0.
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

// square is such a field of 1024 by 1024.
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

// measured is what a sensor makes of a value.
func measured(r *rand.Rand, value, noise, steps float64) float64 {
	value += float64(noise * normal(r))
	if steps == 0 {
		return value
	}
	return math.RoundToEven(float64(value*steps)) / steps
}

// normal is nearly distributed as its name says: the sum of twelve numbers between 0 and 1, less 6.
// Unlike rand's it takes no function that processors compute differently.
func normal(r *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += float64(r.Uint64()>>11) / (1 << 53)
	}
	return sum
}

// wave is the sine of 0, 1/length, 2/length and so on, n of them, by turning a unit vector.
func wave(n int, length float64) []float64 {
	angle := 1 / length
	sin, cos, term := 0.0, 0.0, 1.0
	for k := 0; k < 20; k += 2 { // Taylor's series
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

// sparse is zeros with one of three numbers in about every hundredth place, as masks and labels
// are.
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

// int16s are the values in steps of 1/steps, as files pack them.
func int16s(values []float64, steps float64) []byte {
	b := make([]byte, 0, 2*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(v*steps)))
	}
	return b
}
