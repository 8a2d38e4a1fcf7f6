package zfp

import "math/bits"

// planes are bit planes of up to 256 coefficients, 64 of each plane in one element: bit i of
// planes[g][k] is bit k of the coefficient 64g+i.
type planes [4][64]uint64

// read reads at most prec planes of size coefficients of width bits, from the highest. It reads at
// most budget bits. Bits that are not stored are 0.
//
// The bits of the first n coefficients of a plane are stored verbatim. n is the number of
// coefficients up to the last one that has a 1 in a higher plane. The next bit is 1 if any other
// bit of the plane is 1. Then the bits up to that 1 follow, and another bit for the rest of the
// plane. If only the last coefficient can have the 1, the 1 is not stored.
func (p *planes) read(r *reader, size int64, width uint, budget int64, prec uint) {
	for g := range (size + 63) / 64 {
		clear(p[g][:width])
	}
	low := uint(0) // the lowest plane
	if prec < width {
		low = width - prec
	}
	n := int64(0)
	for k := width; k > low && budget > 0; {
		k--
		known := min(n, budget)
		budget -= known
		for g := int64(0); known > 0; g++ {
			p[g&3][k&63] = r.read(uint(min(known, 64)))
			known -= 64
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
			p[n>>6&3][k&63] |= 1 << (n & 63)
			n++
		}
	}
}

// coefficient is a coefficient in base -2, as it is stored.
type coefficient interface{ uint32 | uint64 }

// coefficients sets to to the coefficients. It modifies p.
func coefficients[U coefficient](to []U, p *planes, width uint) {
	clear(to)
	for g := 0; len(to) > 0; g++ {
		part := to[:min(len(to), 64)]
		to = to[len(part):]
		rows := p[g&3][:width]
		ones := 0
		for _, row := range rows {
			ones += bits.OnesCount64(row)
		}
		if len(part) < 64 || ones < manyOnes {
			for k, row := range rows {
				for ; row != 0; row &= row - 1 {
					part[bits.TrailingZeros64(row)] |= 1 << k
				}
			}
			continue
		}
		transpose(rows)
		for i := range part {
			part[i] = U(rows[i&int(width-1)] >> (uint(i) &^ (width - 1)))
		}
	}
}

// manyOnes is the number of bits from which transposing the planes is faster than setting the bits
// one by one, according to BenchmarkDecode.
const manyOnes = 200

// transpose exchanges the bits i of row k and k of row i, in each square of 32 or 64 rows and
// columns.
func transpose(rows []uint64) {
	mask := uint64(1<<32 - 1)
	if len(rows) == 64 {
		exchange(rows, 32, mask)
	}
	for step := 16; step > 0; step /= 2 {
		mask ^= mask << step
		exchange(rows, step, mask)
	}
}

// exchange exchanges the upper half of the columns of step rows and the lower half of the columns
// of the next step rows, in each square of 2 step rows and columns. mask has the lower halves.
func exchange(rows []uint64, step int, mask uint64) {
	for first := 0; first < len(rows); first += 2 * step {
		a, b := rows[first:first+step], rows[first+step:first+2*step]
		for i := range a {
			t := (a[i]>>step ^ b[i]) & mask
			b[i] ^= t
			a[i] ^= t << step
		}
	}
}
