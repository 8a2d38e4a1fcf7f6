package bzip2

// bits is a buffer to which bits are appended. The first bit is the highest bit of the first byte.
type bits struct {
	out []byte
	acc uint64 // the low n bits are pending
	n   uint
}

// write appends the low n bits of v. n is at most 32.
func (b *bits) write(v uint32, n uint) {
	b.acc = b.acc<<n | uint64(v)
	for b.n += n; b.n >= 8; {
		b.n -= 8
		b.out = append(b.out, byte(b.acc>>b.n))
	}
}

// pad appends zeros up to a byte boundary.
func (b *bits) pad() {
	if b.n > 0 {
		b.write(0, 8-b.n)
	}
}
