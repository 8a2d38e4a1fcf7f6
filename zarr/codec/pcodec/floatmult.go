package pcodec

import "math"

// precision returns the number of stored mantissa bits of a float.
func precision(width uint) uint {
	switch width {
	case 16:
		return 10
	case 32:
		return 23
	}
	return 52
}

// joinMult replaces the latents of integral floats by those of their products with the base, moved
// by secondary ULPs from the middle.
func joinMult(width uint, base uint64, primary, secondary []uint64) {
	mask, mid := maskOf(width), middle(width)
	b := unordered(base, width)
	switch width {
	case 16:
		factor := float16(uint16(b))
		for i, l := range primary {
			product := bits16(float16(uint16(integral(l, width))) * factor)
			primary[i] = (ordered(uint64(product), width) + secondary[i] + mid) & mask
		}
	case 32:
		factor := math.Float32frombits(uint32(b))
		for i, l := range primary {
			product := math.Float32bits(math.Float32frombits(uint32(integral(l, width))) * factor)
			primary[i] = (ordered(uint64(product), width) + secondary[i] + mid) & mask
		}
	case 64:
		factor := math.Float64frombits(b)
		for i, l := range primary {
			product := math.Float64bits(math.Float64frombits(integral(l, width)) * factor)
			primary[i] = ordered(product, width) + secondary[i] + mid
		}
	}
}

// integral returns the bits of the float of a primary latent of floatMult. Latents from the middle
// up are 0, 1, 2 and so on. Latents below the middle are -0, -1, -2 and so on. Floats cannot
// represent all large integers. There, each latent is the next float.
func integral(latent uint64, width uint) uint64 {
	top := middle(width)
	sign, abs := uint64(0), latent&^top
	if latent&top == 0 {
		sign, abs = top, top-1-latent
	}
	if exact := uint64(1) << (precision(width) + 1); abs >= exact {
		return sign | (abs + bitsOf(float64(exact), width) - exact)
	}
	return sign | bitsOf(float64(abs), width)
}

// bitsOf returns the bits of an integer as a float that can represent it.
func bitsOf(f float64, width uint) uint64 {
	switch width {
	case 16:
		return uint64(bits16(float32(f)))
	case 32:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// value returns a float from its bits.
func value(bits uint64, width uint) float64 {
	switch width {
	case 16:
		return float64(float16(uint16(bits)))
	case 32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}
