package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// kind is a kind of elements. at returns number i.
type kind struct {
	name string
	at   func(r *rand.Rand, i int) float64
}

var kinds = []kind{
	{"bits", nil},
	{"constant", func(*rand.Rand, int) float64 { return 42 }},
	{"extreme", nil},
	{"distinct", func(_ *rand.Rand, i int) float64 { return float64(i) }},
	{"square", func(_ *rand.Rand, i int) float64 { return float64(i * i / 2) }},
	{"sine", func(_ *rand.Rand, i int) float64 { return 1000 * math.Sin(float64(i)/20) }},
	{"noise", func(r *rand.Rand, _ int) float64 { return 100 * r.NormFloat64() }},
	{"sparse", func(r *rand.Rand, _ int) float64 { return float64(r.IntN(20) / 19 * r.IntN(30000)) }},
	{"multiple", func(r *rand.Rand, _ int) float64 { return float64(97 * r.IntN(60)) }},
}

// elements returns n little-endian elements.
func elements(r *rand.Rand, k kind, typ dtype.Type, n int) []byte {
	size, float, parts := typ.Size(), false, 1
	switch typ {
	case dtype.Float16, dtype.Float32, dtype.Float64:
		float = true
	case dtype.ComplexFloat16, dtype.Complex64, dtype.Complex128:
		float, parts = true, 2
	}
	size /= parts
	var b []byte
	for i := range n * parts {
		var bits uint64
		switch {
		case k.name == "bits":
			bits = r.Uint64()
		case k.name == "extreme":
			bits = extreme(r, size, float)
		case !float:
			bits = uint64(int64(k.at(r, i)))
		default:
			bits = floatBits(k.at(r, i), size)
		}
		b = append(b, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
	}
	return b
}

// floatBits returns the bits of a float of size bytes.
func floatBits(f float64, size int) uint64 {
	switch size {
	case 2:
		return uint64(dtype.F16From(float32(f)))
	case 4:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// extreme returns the bits of an infinity, of a NaN, of a signed zero, or of a subnormal or extreme
// number.
func extreme(r *rand.Rand, size int, float bool) uint64 {
	top := uint64(1) << (8*size - 1)
	list := []uint64{0, 1, top, top - 1, top + 1, math.MaxUint64, uint64(r.IntN(200))}
	if float {
		inf := floatBits(math.Inf(1), size)
		list = append(list, inf, inf|top, inf-1, inf+1, inf|top>>2|1|top, floatBits(math.NaN(), size))
	}
	return list[r.IntN(len(list))]
}
