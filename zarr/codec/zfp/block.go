package zfp

import "math"

// blocks decodes the blocks of one array in sequence. I and U are the signed and unsigned integers
// as wide as the stored numbers.
type blocks[I integer, U coefficient] struct {
	reader
	params
	number
	rank   int
	order  []uint8
	scaled func(to *[256]U, from *[256]I, n, exp int) // scaled32 or scaled64
	planes planes
	ints   [256]I // by position
	coeffs [256]U // the coefficients in stored order, then the bits of the numbers by position
}

// next decodes a block to coeffs. The number at x along the last axis, y along the axis before it,
// and so on, has the position x+4y+16z+64w.
func (b *blocks[I, U]) next() {
	start := b.pos
	size := 1 << (2 * b.rank)
	exact := b.reversible()
	switch {
	case !b.float:
		if exact {
			b.exact(start)
		} else {
			b.coefficients(start, b.maxprec)
			inverse(&b.ints, b.rank)
		}
		b.integers(size)
	case b.read(1) == 0:
		clear(b.coeffs[:size])
	case exact && b.read(1) == 1:
		b.exact(start)
		b.reinterpret(size)
	default:
		bias := 1<<(b.ebits()-1) - 1
		emax := int(b.read(b.ebits())) - bias
		if exact {
			b.exact(start)
		} else {
			b.coefficients(start, b.depth(emax, b.rank))
			inverse(&b.ints, b.rank)
		}
		if exact && emax == -bias {
			clear(b.coeffs[:size])
			break
		}
		b.scaled(&b.coeffs, &b.ints, size, emax-int(b.width())+2)
	}
	b.pos = max(b.pos, start+b.minbits)
}

// exact decodes the numbers of a block in reversible mode.
func (b *blocks[I, U]) exact(start uint64) {
	field := uint(5)
	if b.wide {
		field = 6
	}
	prec := uint(b.read(field)) + 1
	b.coefficients(start, prec)
	inverseExact(&b.ints, b.rank)
}

// coefficients decodes the coefficients of the block at start, and stores them in ints by position.
// maxbits has no effect if it is less than the number of bits before the coefficients, because
// libzfp subtracts unsigned numbers of 32 bits.
func (b *blocks[I, U]) coefficients(start uint64, prec uint) {
	size := 1 << (2 * b.rank)
	b.planes.read(&b.reader, int64(size), b.width(), int64(uint32(b.maxbits-(b.pos-start))), prec)
	coefficients(b.coeffs[:size], &b.planes, b.width())
	const digits = 0xaaaaaaaaaaaaaaaa // the digits of base -2 with a negative value
	mask := uint64(digits)
	negative := U(mask)
	for i, at := range b.order {
		b.ints[at] = I((b.coeffs[i] ^ negative) - negative)
	}
}

// integers sets coeffs to the bits of the integers.
func (b *blocks[I, U]) integers(size int) {
	for i, v := range b.ints[:size] {
		b.coeffs[i] = U(v)
	}
}

// reinterpret sets coeffs to the bits of floats. The integers have the order of the floats: all
// bits of negative floats except for the sign are inverted.
func (b *blocks[I, U]) reinterpret(size int) {
	for i, v := range b.ints[:size] {
		if v < 0 {
			v = ^v ^ -1<<(b.width()-1)
		}
		b.coeffs[i] = U(v)
	}
}

// scaled32 sets to to the bits of n floats: the integers times 2^exp. The scale is 0 if it is below
// the smallest float, as in libzfp.
func scaled32(to *[256]uint32, from *[256]int32, n, exp int) {
	scale := float32(math.Ldexp(1, exp))
	for i := range n {
		to[i] = math.Float32bits(scale * float32(from[i]))
	}
}

// scaled64 is scaled32 for 64 bits.
func scaled64(to *[256]uint64, from *[256]int64, n, exp int) {
	scale := math.Ldexp(1, exp)
	for i := range n {
		to[i] = math.Float64bits(scale * float64(from[i]))
	}
}
