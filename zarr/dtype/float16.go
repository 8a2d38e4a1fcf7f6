package dtype

import "math"

// F16From rounds f to the nearest float16, ties to even. Numbers out of range become infinity. A
// NaN stays a NaN and keeps its sign and the high bits of its payload.
func F16From(f float32) F16 { return Round[F16](float64keep(f)) }

// float64keep converts f to a float64. Unlike a hardware conversion, it preserves signalling NaNs.
func float64keep(f float32) float64 {
	if f == f {
		return float64(f)
	}
	bits := uint64(math.Float32bits(f))
	return math.Float64frombits(bits>>31<<63 | 0x7ff<<52 | bits&0x7fffff<<29)
}
