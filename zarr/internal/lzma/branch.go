package lzma

import "encoding/binary"

// branch is a branch filter. It converts relative jump targets in machine code to absolute ones,
// which repeat more often. On other data it is a reversible transform. The package has these
// filters because Python's module has them.
type branch struct {
	align int // alignment of instructions
	run   func(b []byte, at uint32, encode bool)
}

// branches holds the branch filters by id. It is read-only.
var branches = map[FilterID]branch{
	X86: {1, x86}, PowerPC: {4, powerPC}, IA64: {16, ia64}, ARM: {4, arm}, ARMThumb: {2, armThumb}, SPARC: {4, sparc},
}

// moved returns the target v of an instruction plus the position of the instruction. If encode is
// false, it subtracts the position instead.
func moved(v, at uint32, encode bool) uint32 {
	if encode {
		return v + at
	}
	return v - at
}

// powerPC converts relative branches with the link bit (opcode 18, AA 0, LK 1).
func powerPC(b []byte, at uint32, encode bool) {
	for i := 0; i+4 <= len(b); i += 4 {
		if v := binary.BigEndian.Uint32(b[i:]); v&0xfc000003 == 0x48000001 {
			target := moved(v&0x03fffffc, at+uint32(i), encode)
			binary.BigEndian.PutUint32(b[i:], 0x48000001|target&0x03fffffc)
		}
	}
}

// sparc converts calls whose signed target has at most 22 bits plus the sign.
func sparc(b []byte, at uint32, encode bool) {
	for i := 0; i+4 <= len(b); i += 4 {
		v := binary.BigEndian.Uint32(b[i:])
		if v>>22 != 0x100 && v>>22 != 0x1ff {
			continue
		}
		target := moved(v<<2, at+uint32(i), encode) >> 2
		target = (0-(target>>22&1))<<22&0x3fffffff | target&0x3fffff | 0x40000000
		binary.BigEndian.PutUint32(b[i:], target)
	}
}

// arm converts unconditional BL instructions. Targets are relative to the program counter, which is
// two instructions ahead.
func arm(b []byte, at uint32, encode bool) {
	for i := 0; i+4 <= len(b); i += 4 {
		if b[i+3] != 0xeb {
			continue
		}
		v := binary.LittleEndian.Uint32(b[i:])
		target := moved(v<<2, at+uint32(i)+8, encode) >> 2
		binary.LittleEndian.PutUint32(b[i:], v&0xff000000|target&0x00ffffff)
	}
}

// armThumb converts BL instructions, which are two halfwords.
func armThumb(b []byte, at uint32, encode bool) {
	for i := 0; i+4 <= len(b); i += 2 {
		hi, lo := uint32(binary.LittleEndian.Uint16(b[i:])), uint32(binary.LittleEndian.Uint16(b[i+2:]))
		if hi&0xf800 != 0xf000 || lo&0xf800 != 0xf800 {
			continue
		}
		target := moved((hi&0x7ff<<11|lo&0x7ff)<<1, at+uint32(i)+4, encode) >> 1
		binary.LittleEndian.PutUint16(b[i:], uint16(0xf000|target>>11&0x7ff))
		binary.LittleEndian.PutUint16(b[i+2:], uint16(0xf800|target&0x7ff))
		i += 2
	}
}

// ia64 converts branches. Code consists of bundles of 16 bytes. A bundle has a template of 5 bits,
// which determines the slots that may be branches, and three slots of 41 bits.
func ia64(b []byte, at uint32, encode bool) {
	slots := [32]byte{16: 4, 17: 4, 18: 6, 19: 6, 22: 7, 23: 7, 24: 4, 25: 4, 28: 4, 29: 4}
	for i := 0; i+16 <= len(b); i += 16 {
		mask := slots[b[i]&31]
		for slot := range 3 {
			if mask>>slot&1 == 0 {
				continue
			}
			bit := 5 + 41*slot
			p := b[i+bit/8:][:6]
			v := uint64(binary.LittleEndian.Uint32(p)) | uint64(binary.LittleEndian.Uint16(p[4:]))<<32
			op := v >> (bit % 8)
			if op>>37&0xf != 5 || op>>9&7 != 0 {
				continue
			}
			target := uint32(op>>13&0xfffff) | uint32(op>>36&1)<<20
			target = moved(target<<4, at+uint32(i), encode) >> 4
			op = op&^(0x8fffff<<13) | uint64(target&0xfffff)<<13 | uint64(target>>20&1)<<36
			v = v&(1<<(bit%8)-1) | op<<(bit%8)
			binary.LittleEndian.PutUint32(p, uint32(v))
			binary.LittleEndian.PutUint16(p[4:], uint16(v>>32))
		}
	}
}

// x86 converts CALL and JMP instructions (E8, E9) whose 32-bit target has the highest byte 00 or
// FF. It skips an opcode if the preceding bytes suggest that the opcode is part of the target of
// another instruction. The lowest bits of the variable "seen" record which of the preceding bytes
// were opcodes.
func x86(b []byte, at uint32, encode bool) {
	likely := [8]bool{true, true, true, false, true}
	number := [8]uint32{0, 1, 2, 2, 3, 3, 3, 3}
	sign := func(c byte) bool { return c == 0 || c == 0xff }
	seen, last := uint32(0), -5 // last is the position of the last opcode
	for i := 0; i+5 <= len(b); {
		if b[i]&0xfe != 0xe8 {
			i++
			continue
		}
		gap := i - last
		last = i
		if gap > 5 {
			seen = 0
		} else {
			for range gap {
				seen = seen & 0x77 << 1
			}
		}
		if !sign(b[i+4]) || !likely[seen>>1&7] || seen>>1 >= 0x10 {
			seen |= 1
			if sign(b[i+4]) {
				seen |= 0x10
			}
			i++
			continue
		}
		v := binary.LittleEndian.Uint32(b[i+1:])
		for {
			v = moved(v, at+uint32(i)+5, encode)
			if seen == 0 {
				break
			}
			k := number[seen>>1] * 8
			if !sign(byte(v >> (24 - k))) {
				break
			}
			v ^= 1<<(32-k) - 1
		}
		v = v&0x01ffffff | (0-v>>24&1)<<25
		binary.LittleEndian.PutUint32(b[i+1:], v)
		i += 5
		seen = 0
	}
}
