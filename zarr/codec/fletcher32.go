package codec

import "encoding/binary"

// fletcher32 returns Fletcher's checksum of big-endian 16-bit words, as HDF5 and numcodecs compute
// it. An odd last byte is the upper half of a word. Sums are reduced modulo 65535; a sum of 0 is
// represented as 65535 unless all words are 0.
func fletcher32(b []byte) uint32 {
	var lo, hi uint32
	for len(b) >= 2 {
		// Both sums are at most 65535 here. After 360 words of 65535, hi is 65341 × 65535, and one
		// more word would overflow.
		n := 2 * min(len(b)/2, 360)
		for i := 0; i < n; i += 2 {
			lo += uint32(binary.BigEndian.Uint16(b[i:n]))
			hi += lo
		}
		lo, hi, b = fold16(lo), fold16(hi), b[n:]
	}
	if len(b) == 1 {
		lo += uint32(b[0]) << 8
		hi += lo
	}
	return fold16(hi)<<16 | fold16(lo)
}

// fold16 reduces x modulo 65535 by adding its upper half to its lower half until the upper half is
// 0. The result is 0 only if x is 0.
func fold16(x uint32) uint32 {
	x = x>>16 + x&0xffff
	return x>>16 + x&0xffff
}
