package zfp

// integer is a coefficient or a number of a block.
type integer interface{ int32 | int64 }

// inverse replaces the 4^rank coefficients of a block by its numbers, in the order of their
// positions. It applies lift along each axis, the slowest first.
func inverse[I integer](b *[256]I, rank int) {
	size := 1 << (2 * rank)
	for step := size / 4; step > 0; step /= 4 {
		for first := 0; first < size; first += 4 * step {
			for i := first; i < first+step; i++ {
				lift(b, uint8(i), uint8(step))
			}
		}
	}
}

// lift inverts the decorrelating transform of four coefficients. It is the product with the matrix
//
//	4  6 -4 -1
//	4  2  4  5
//	4 -2  4 -5
//	4 -6 -4  1
//
// divided by 4, in steps that define its rounding. Overflow wraps around.
func lift[I integer](b *[256]I, i, step uint8) {
	x, y, z, w := b[i], b[i+step], b[i+2*step], b[i+3*step]
	y += w >> 1
	w -= y >> 1
	y, w = y+w, w-y
	z, x = z+x, x-z
	y, z = y+z, z-y
	w, x = w+x, x-w
	b[i], b[i+step], b[i+2*step], b[i+3*step] = x, y, z, w
}

// inverseExact is inverse for the reversible mode.
func inverseExact[I integer](b *[256]I, rank int) {
	size := 1 << (2 * rank)
	for step := size / 4; step > 0; step /= 4 {
		for first := 0; first < size; first += 4 * step {
			for i := first; i < first+step; i++ {
				liftExact(b, uint8(i), uint8(step))
			}
		}
	}
}

// liftExact sums differences up to the third order. It inverts the transform of the reversible mode.
func liftExact[I integer](b *[256]I, i, step uint8) {
	x, y, z, w := b[i], b[i+step], b[i+2*step], b[i+3*step]
	w += z
	z += y
	w += z
	y += x
	z += y
	w += z
	b[i], b[i+step], b[i+2*step], b[i+3*step] = x, y, z, w
}
