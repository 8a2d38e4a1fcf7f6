package pcodec

import "encoding/binary"

// offsets adds offsets of at most 57 bits to a batch.
func offsets(r *reader, out []uint64, widths *[batchSize]uint8, mask uint64) {
	buf, pos := r.buf, r.pos
	for i, w := range widths[:len(out)] {
		word := binary.LittleEndian.Uint64(buf[pos>>3:]) >> (pos & 7)
		out[i] = (out[i] + word&(1<<(w&63)-1)) & mask
		pos += int64(w)
	}
	r.pos = pos
}

// wideOffsets adds offsets of any width to a batch.
func wideOffsets(r *reader, out []uint64, widths *[batchSize]uint8, mask uint64) {
	for i, w := range widths[:len(out)] {
		out[i] = (out[i] + r.peek(r.pos)&maskOf(uint(w))) & mask
		r.pos += int64(w)
	}
}

// symbols reads the tANS symbols of a batch. It sets out to the lower bounds of the bins and widths
// to the numbers of bits of the offsets. Latent i uses state i mod 4.
func (v *variable) symbols(r *reader, out []uint64, widths *[batchSize]uint8) {
	nodes, buf, pos := v.nodes, r.buf, r.pos
	s0, s1, s2, s3 := v.states[0], v.states[1], v.states[2], v.states[3]
	i := 0
	for ; i+4 <= len(out) && i+4 <= batchSize; i += 4 {
		// Four symbols have at most 56 bits.
		word := binary.LittleEndian.Uint64(buf[pos>>3:]) >> (pos & 7)
		n0, n1, n2, n3 := &nodes[s0], &nodes[s1], &nodes[s2], &nodes[s3]
		o, w := out[i:i+4:i+4], widths[i:i+4:i+4]
		o[0], o[1], o[2], o[3] = n0.lower, n1.lower, n2.lower, n3.lower
		w[0], w[1], w[2], w[3] = n0.width, n1.width, n2.width, n3.width
		s0 = uint32(n0.next) + uint32(word)&(1<<(n0.bits&31)-1)
		word >>= n0.bits & 63
		s1 = uint32(n1.next) + uint32(word)&(1<<(n1.bits&31)-1)
		word >>= n1.bits & 63
		s2 = uint32(n2.next) + uint32(word)&(1<<(n2.bits&31)-1)
		word >>= n2.bits & 63
		s3 = uint32(n3.next) + uint32(word)&(1<<(n3.bits&31)-1)
		pos += int64(n0.bits) + int64(n1.bits) + int64(n2.bits) + int64(n3.bits)
	}
	states := [4]uint32{s0, s1, s2, s3}
	for ; i < len(out); i++ {
		n := &nodes[states[i%4]]
		word := binary.LittleEndian.Uint64(buf[pos>>3:]) >> (pos & 7)
		out[i], widths[i] = n.lower, n.width
		states[i%4] = uint32(n.next) + uint32(word)&(1<<n.bits-1)
		pos += int64(n.bits)
	}
	v.states, r.pos = states, pos
}
