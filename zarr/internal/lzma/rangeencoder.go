package lzma

// rangeEncoder writes bits. A later carry may change the last byte that is not ff and the run of ff
// bytes after this byte. These bytes are pending: they are not yet in out.
type rangeEncoder struct {
	out  []byte
	low  uint64
	rng  uint32
	wait byte
	runs int // number of pending bytes
}

func (e *rangeEncoder) start(out []byte) { *e = rangeEncoder{out: out, rng: 1<<32 - 1, runs: 1} }

// size returns the number of bytes after the index "from" that out would have if finish were called
// now.
func (e *rangeEncoder) size(from int) int { return len(e.out) - from + e.runs + 4 }

func (e *rangeEncoder) shift() {
	if e.low < 0xff000000 || e.low > 1<<32-1 {
		carry := byte(e.low >> 32)
		c := e.wait
		for ; e.runs > 0; e.runs-- {
			e.out = append(e.out, c+carry)
			c = 0xff
		}
		e.wait = byte(e.low >> 24)
	}
	e.runs++
	e.low = e.low & 0x00ffffff << 8
}

func (e *rangeEncoder) finish() []byte {
	for range 5 {
		e.shift()
	}
	return e.out
}

func (e *rangeEncoder) bit(p *prob, b uint32) {
	bound := e.rng >> 11 * uint32(*p)
	if b == 0 {
		e.rng = bound
		*p += (2048 - *p) >> 5
	} else {
		e.low += uint64(bound)
		e.rng -= bound
		*p -= *p >> 5
	}
	if e.rng < 1<<24 {
		e.rng <<= 8
		e.shift()
	}
}

// direct writes the low n bits of v with equal probability.
func (e *rangeEncoder) direct(v uint32, n int) {
	for n--; n >= 0; n-- {
		e.rng >>= 1
		if v>>n&1 == 1 {
			e.low += uint64(e.rng)
		}
		if e.rng < 1<<24 {
			e.rng <<= 8
			e.shift()
		}
	}
}

// tree writes a number below len(probs), high bit first. len(probs) is a power of two.
func (e *rangeEncoder) tree(probs []prob, v int) {
	i := 1
	for bit := len(probs) >> 1; bit > 0; bit >>= 1 {
		b := 0
		if v&bit != 0 {
			b = 1
		}
		e.bit(&probs[i], uint32(b))
		i = i<<1 | b
	}
}

// reverse writes the low n bits of v, low bit first.
func (e *rangeEncoder) reverse(probs []prob, v uint32, n int) {
	i := uint32(1)
	for range n {
		b := v & 1
		e.bit(&probs[i], b)
		i = i<<1 | b
		v >>= 1
	}
}

func (e *rangeEncoder) length(m *lengthModel, n, posState int) {
	switch n -= minMatch; {
	case n < 8:
		e.bit(&m.mid, 0)
		e.tree(m.lows[posState][:], n)
	case n < 16:
		e.bit(&m.mid, 1)
		e.bit(&m.high, 0)
		e.tree(m.mids[posState][:], n-8)
	default:
		e.bit(&m.mid, 1)
		e.bit(&m.high, 1)
		e.tree(m.highs[:], n-16)
	}
}
