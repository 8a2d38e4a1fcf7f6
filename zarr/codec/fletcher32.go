package codec

import "encoding/binary"

// fletcher32 is Fletcher's checksum of 16-bit words, big-endian, as HDF5 and numcodecs compute it:
// an odd last byte is a word with nothing in its lower half. Sums are modulo 65535 with 65535 in
// place of 0 unless all words are 0.
func fletcher32(b []byte) uint32 {
	var lo, hi uint32
	for len(b) >= 2 {
		// 360 words of 65535 on top of sums of 65535 make hi 65341 times 65535, the last that fits.
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

// fold16 adds the upper half to the lower one until there is none: modulo 65535, but never from a
// number to 0.
func fold16(x uint32) uint32 {
	x = x>>16 + x&0xffff
	return x>>16 + x&0xffff
}
