package lzma

// rangeDecoder decodes bits from src. At the end of src it continues with zero bytes and sets
// overread.
type rangeDecoder struct {
	src      []byte
	at       int
	rng      uint32
	code     uint32
	overread bool
}

// start starts decoding src by reading its first five bytes. It returns false if these bytes are
// invalid.
func (d *rangeDecoder) start(src []byte) bool {
	*d = rangeDecoder{src: src, rng: 1<<32 - 1}
	if len(src) < 5 || src[0] != 0 {
		return false
	}
	d.code = uint32(src[1])<<24 | uint32(src[2])<<16 | uint32(src[3])<<8 | uint32(src[4])
	d.at = 5
	return d.code < d.rng
}

func (d *rangeDecoder) next() {
	d.rng <<= 8
	d.code <<= 8
	if d.at < len(d.src) {
		d.code |= uint32(d.src[d.at])
		d.at++
		return
	}
	d.overread = true
}

func (d *rangeDecoder) bit(p *prob) uint32 {
	bound := d.rng >> 11 * uint32(*p)
	if d.code < bound {
		d.rng = bound
		*p += (2048 - *p) >> 5
		if d.rng < 1<<24 {
			d.next()
		}
		return 0
	}
	d.rng -= bound
	d.code -= bound
	*p -= *p >> 5
	if d.rng < 1<<24 {
		d.next()
	}
	return 1
}

// direct reads n bits of equal probability.
func (d *rangeDecoder) direct(n int) uint32 {
	v := uint32(0)
	for range n {
		d.rng >>= 1
		b := uint32(0)
		if d.code >= d.rng {
			d.code -= d.rng
			b = 1
		}
		v = v<<1 | b
		if d.rng < 1<<24 {
			d.next()
		}
	}
	return v
}

// tree reads a number below len(probs), high bit first. len(probs) is a power of two.
func (d *rangeDecoder) tree(probs []prob) int {
	i := uint32(1)
	for int(i) < len(probs) {
		i = i<<1 | d.bit(&probs[i])
	}
	return int(i) - len(probs)
}

// reverse reads a number of n bits, low bit first.
func (d *rangeDecoder) reverse(probs []prob, n int) uint32 {
	v, i := uint32(0), uint32(1)
	for k := range n {
		b := d.bit(&probs[i])
		i = i<<1 | b
		v |= b << k
	}
	return v
}

func (d *rangeDecoder) length(m *lengthModel, posState int) int {
	switch {
	case d.bit(&m.mid) == 0:
		return minMatch + d.tree(m.lows[posState][:])
	case d.bit(&m.high) == 0:
		return minMatch + 8 + d.tree(m.mids[posState][:])
	}
	return minMatch + 16 + d.tree(m.highs[:])
}
