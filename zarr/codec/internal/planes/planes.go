package planes

import "encoding/binary"

// Split writes the first bytes of all elements of src to dst, then all second bytes, and so on.
// Bytes after the last whole element are copied to the end of dst. dst and src must have the same
// length and must not overlap.
func Split(dst, src []byte, typeSize int) {
	n := len(src) / typeSize
	copy(dst[n*typeSize:], src[n*typeSize:])
	if n == 0 {
		return // element sizes are unlimited, so typeSize*n below could overflow
	}
	src = src[:n*typeSize]
	done := splitFast(dst, src, typeSize, n)
	if done < n {
		splitSlow(dst[done:], src[done*typeSize:], typeSize, n)
	}
}

// splitSlow splits whole elements into planes that are n bytes apart in dst.
func splitSlow(dst, src []byte, typeSize, n int) {
	count := len(src) / typeSize
	switch typeSize {
	case 2:
		d0, d1 := dst[:count], dst[n:][:count]
		for i := range d0 {
			v := binary.LittleEndian.Uint16(src[2*i:])
			d0[i], d1[i] = byte(v), byte(v>>8)
		}
	case 4:
		d0, d1, d2, d3 := dst[:count], dst[n:][:count], dst[2*n:][:count], dst[3*n:][:count]
		for i := range d0 {
			v := binary.LittleEndian.Uint32(src[4*i:])
			d0[i], d1[i], d2[i], d3[i] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		}
	case 8:
		d0, d1, d2, d3 := dst[:count], dst[n:][:count], dst[2*n:][:count], dst[3*n:][:count]
		d4, d5, d6, d7 := dst[4*n:][:count], dst[5*n:][:count], dst[6*n:][:count], dst[7*n:][:count]
		for i := range d0 {
			v := binary.LittleEndian.Uint64(src[8*i:])
			d0[i], d1[i], d2[i], d3[i] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
			d4[i], d5[i], d6[i], d7[i] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
		}
	default:
		for j := range typeSize {
			plane := dst[j*n:][:count]
			for i := range plane {
				plane[i] = src[i*typeSize+j]
			}
		}
	}
}

// Join reverses Split: it combines the planes in src into elements in dst.
func Join(dst, src []byte, typeSize int) { joinPart(dst, src, typeSize, 0) }

// Block is an output of Split. Parts of it can be joined.
type Block struct {
	src      []byte
	typeSize int
	n, whole int  // number of whole elements, and number of their bytes
	shift    uint // if fast, an element has 1<<shift bytes
	fast     bool
}

// BlockOf returns the Block of src, an output of Split. src must not be modified while the Block is
// in use.
func BlockOf(src []byte, typeSize int) Block {
	b := Block{src: src, typeSize: typeSize, n: len(src) / typeSize}
	b.whole = b.n * typeSize
	b.shift, b.fast = fastJoin(typeSize)
	return b
}

// Len returns the number of bytes in the block.
func (b *Block) Len() int { return len(b.src) }

// JoinPart fills dst with bytes of the joined block, starting at offset off. It is called for many
// short rows, so the path for whole groups avoids divisions.
func (b *Block) JoinPart(dst []byte, off int) {
	if b.fast && off&(1<<b.shift-1) == 0 && len(dst)&(group<<b.shift-1) == 0 && off+len(dst) <= b.whole && len(dst) > 0 {
		joinGroups(dst, b.src[off>>b.shift:], b.shift, b.n)
		return
	}
	joinPart(dst, b.src, b.typeSize, off)
}

// joinPart fills dst with bytes of the joined src, starting at offset off.
func joinPart(dst, src []byte, typeSize, off int) {
	n := len(src) / typeSize
	whole := n * typeSize
	if off+len(dst) > whole { // bytes after the last whole element are not shuffled
		from := max(whole-off, 0)
		copy(dst[from:], src[off+from:])
		dst = dst[:from]
	}
	for ; len(dst) > 0 && off%typeSize != 0; dst, off = dst[1:], off+1 {
		dst[0] = src[off%typeSize*n+off/typeSize]
	}
	if count := len(dst) / typeSize; count > 0 { // see Split
		first, to := off/typeSize, dst[:count*typeSize]
		done := joinFast(to, src[first:], typeSize, n)
		if done < count {
			joinSlow(to[done*typeSize:], src[first+done:], typeSize, n)
		}
		dst, off = dst[len(to):], off+len(to)
	}
	for ; len(dst) > 0; dst, off = dst[1:], off+1 {
		dst[0] = src[off%typeSize*n+off/typeSize]
	}
}

// joinSlow joins whole elements of planes that are n bytes apart in src.
func joinSlow(dst, src []byte, typeSize, n int) {
	count := len(dst) / typeSize
	switch typeSize {
	case 2:
		s0, s1 := src[:count], src[n:][:count]
		for i := range s0 {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(s0[i])|uint16(s1[i])<<8)
		}
	case 4:
		s0, s1, s2, s3 := src[:count], src[n:][:count], src[2*n:][:count], src[3*n:][:count]
		for i := range s0 {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(s0[i])|uint32(s1[i])<<8|uint32(s2[i])<<16|uint32(s3[i])<<24)
		}
	case 8:
		s0, s1, s2, s3 := src[:count], src[n:][:count], src[2*n:][:count], src[3*n:][:count]
		s4, s5, s6, s7 := src[4*n:][:count], src[5*n:][:count], src[6*n:][:count], src[7*n:][:count]
		for i := range s0 {
			lo := uint64(s0[i]) | uint64(s1[i])<<8 | uint64(s2[i])<<16 | uint64(s3[i])<<24
			hi := uint64(s4[i]) | uint64(s5[i])<<8 | uint64(s6[i])<<16 | uint64(s7[i])<<24
			binary.LittleEndian.PutUint64(dst[8*i:], lo|hi<<32)
		}
	default:
		for j := range typeSize {
			for i, b := range src[j*n:][:count] {
				dst[i*typeSize+j] = b
			}
		}
	}
}
