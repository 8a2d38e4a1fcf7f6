package pcodec

import "encoding/binary"

// store writes the numbers of latents to dst in little-endian order. It overwrites latents.
func (n number) store(dst []byte, latents []uint64) {
	switch n.kind {
	case signed:
		top := middle(n.width)
		for i := range latents {
			latents[i] ^= top
		}
	case float:
		for i, l := range latents {
			latents[i] = unordered(l, n.width)
		}
	}
	switch n.width {
	case 8:
		for i, l := range latents {
			dst[i] = byte(l)
		}
	case 16:
		for i, l := range latents {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(l))
		}
	case 32:
		for i, l := range latents {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(l))
		}
	case 64:
		for i, l := range latents {
			binary.LittleEndian.PutUint64(dst[8*i:], l)
		}
	}
}

// load sets latents to those of the numbers in src. It is the inverse of store.
func (n number) load(latents []uint64, src []byte) {
	switch n.width {
	case 8:
		for i := range latents {
			latents[i] = uint64(src[i])
		}
	case 16:
		for i := range latents {
			latents[i] = uint64(binary.LittleEndian.Uint16(src[2*i:]))
		}
	case 32:
		for i := range latents {
			latents[i] = uint64(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case 64:
		for i := range latents {
			latents[i] = binary.LittleEndian.Uint64(src[8*i:])
		}
	}
	switch n.kind {
	case signed:
		top := middle(n.width)
		for i := range latents {
			latents[i] ^= top
		}
	case float:
		for i, l := range latents {
			latents[i] = ordered(l, n.width)
		}
	}
}
