package dtype

import "math"

// F16From rounds f to the nearest float16, ties to even; beyond the range is infinity. A NaN keeps
// its sign and the high bits of its payload, and stays a NaN.
func F16From(f float32) F16 { return Round[F16](float64keep(f)) }

// float64keep widens f; a signalling NaN stays one, which a conversion in hardware does not
// promise.
func float64keep(f float32) float64 {
	if f == f {
		return float64(f)
	}
	bits := uint64(math.Float32bits(f))
	return math.Float64frombits(bits>>31<<63 | 0x7ff<<52 | bits&0x7fffff<<29)
}
