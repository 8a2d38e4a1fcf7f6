package bzip2

// bits writes bits from the highest of a byte.
type bits struct {
	out []byte
	acc uint64 // its low n bits are not written yet
	n   uint
}

// write takes the low n bits of v, at most 32.
func (b *bits) write(v uint32, n uint) {
	b.acc = b.acc<<n | uint64(v)
	for b.n += n; b.n >= 8; {
		b.n -= 8
		b.out = append(b.out, byte(b.acc>>b.n))
	}
}

// pad writes zeros up to a whole byte.
func (b *bits) pad() {
	if b.n > 0 {
		b.write(0, 8-b.n)
	}
}
