package zfp

// integer is a coefficient or a number of a block.
type integer interface{ int32 | int64 }

// inverse replaces the 4^rank coefficients of a block by its numbers, in the order of their
// positions. Along each axis, the slowest first, it multiplies four coefficients by the matrix
//
//	4  6 -4 -1
//	4  2  4  5
//	4 -2  4 -5
//	4 -6 -4  1
//
// and divides them by 4, in steps that define the rounding. Overflow wraps around.
func inverse[I integer](b *[256]I, rank int) {
	size := 1 << (2 * rank)
	for step := size / 4; step > 0; step /= 4 {
		for first := 0; first < size; first += 4 * step {
			for i := first; i < first+step; i++ {
				at, s := uint8(i), uint8(step)
				x, y, z, w := b[at], b[at+s], b[at+2*s], b[at+3*s]
				y += w >> 1
				w -= y >> 1
				y, w = y+w, w-y
				z, x = z+x, x-z
				y, z = y+z, z-y
				w, x = w+x, x-w
				b[at], b[at+s], b[at+2*s], b[at+3*s] = x, y, z, w
			}
		}
	}
}

// inverseExact is inverse for the reversible mode. It sums differences up to the third order.
func inverseExact[I integer](b *[256]I, rank int) {
	size := 1 << (2 * rank)
	for step := size / 4; step > 0; step /= 4 {
		for first := 0; first < size; first += 4 * step {
			for i := first; i < first+step; i++ {
				at, s := uint8(i), uint8(step)
				x, y, z, w := b[at], b[at+s], b[at+2*s], b[at+3*s]
				w += z
				z += y
				w += z
				y += x
				z += y
				w += z
				b[at], b[at+s], b[at+2*s], b[at+3*s] = x, y, z, w
			}
		}
	}
}
