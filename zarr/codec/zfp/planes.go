package zfp

import "math/bits"

// coefficient is a coefficient in base -2, as it is stored.
type coefficient interface{ uint32 | uint64 }

// planes reads at most prec bit planes of the coefficients, from the highest. It reads at most
// budget bits. The bits of coefficients that are not stored are 0.
//
// A plane has one bit of each coefficient. The bits of the first n coefficients are stored
// verbatim. n is the number of coefficients up to the last one that has a 1 in a higher plane. The
// next bit is 1 if any other bit of the plane is 1. Then the bits up to that 1 follow, and again a
// bit for the rest of the plane. If only the last coefficient can have the 1, the 1 is not stored.
func planes[U coefficient](r *reader, to []U, budget int64, prec uint) {
	clear(to)
	size, width := int64(len(to)), uint(bits.Len64(uint64(^U(0))))
	low := uint(0) // the lowest plane
	if prec < width {
		low = width - prec
	}
	n := int64(0)
	for k := width; k > low && budget > 0; {
		k--
		known := min(n, budget)
		budget -= known
		for i := int64(0); i < known; i += 64 {
			deposit(to[i:], r.read(uint(min(known-i, 64))), k)
		}
		for n < size && budget > 0 {
			u := r.peek()
			r.pos++
			budget--
			if u&1 == 0 {
				break
			}
			// Find the next 1 in the bits after the first of u, and peek again if it is farther.
			for u, have := u>>1, int64(window-1); ; u, have = r.peek(), window {
				most := min(size-1-n, budget, have)
				zeros := min(int64(bits.TrailingZeros64(u)), most)
				n, budget, r.pos = n+zeros, budget-zeros, r.pos+uint64(zeros)
				if zeros < most {
					budget--
					r.pos++
					break
				}
				if most < have {
					break
				}
			}
			to[n] |= 1 << k
			n++
		}
	}
}

// deposit sets bit k of the coefficients whose bit in plane is 1.
func deposit[U coefficient](to []U, plane uint64, k uint) {
	for plane != 0 {
		to[bits.TrailingZeros64(plane)] |= 1 << k
		plane &= plane - 1
	}
}
