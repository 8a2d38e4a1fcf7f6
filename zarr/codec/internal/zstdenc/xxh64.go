package zstdenc

import (
	"encoding/binary"
	"math/bits"
)

// The primes of XXH64. They are variables because the product of constants would overflow at
// compile time.
var primes = [...]uint64{0, 11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261}

// xxh64 returns the XXH64 hash of b with seed 0:
// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md.
func xxh64(b []byte) uint64 {
	p1, p2, p3, p4, p5 := primes[1], primes[2], primes[3], primes[4], primes[5]
	round := func(acc, lane uint64) uint64 { return bits.RotateLeft64(acc+lane*p2, 31) * p1 }
	n, sum := uint64(len(b)), p5
	if n >= 32 {
		v := [4]uint64{p1 + p2, p2, 0, -p1}
		for ; len(b) >= 32; b = b[32:] {
			for i := range v {
				v[i] = round(v[i], binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
		sum = bits.RotateLeft64(v[0], 1) + bits.RotateLeft64(v[1], 7) + bits.RotateLeft64(v[2], 12) + bits.RotateLeft64(v[3], 18)
		for _, x := range v {
			sum = (sum^round(0, x))*p1 + p4
		}
	}
	sum += n
	for ; len(b) >= 8; b = b[8:] {
		sum = bits.RotateLeft64(sum^round(0, binary.LittleEndian.Uint64(b)), 27)*p1 + p4
	}
	if len(b) >= 4 {
		sum = bits.RotateLeft64(sum^uint64(binary.LittleEndian.Uint32(b))*p1, 23)*p2 + p3
		b = b[4:]
	}
	for _, x := range b {
		sum = bits.RotateLeft64(sum^uint64(x)*p5, 11) * p1
	}
	sum = (sum ^ sum>>33) * p2
	sum = (sum ^ sum>>29) * p3
	return sum ^ sum>>32
}
