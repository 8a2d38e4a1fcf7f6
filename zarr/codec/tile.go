package codec

import "encoding/binary"

// tile is the number of rows and columns of a square. A plane is copied in squares if the source
// and the destination are contiguous along different axes. For elements of 8 bytes, a square takes
// 32 cache lines of 64 bytes in the source, and as many in the destination. All of them fit into
// the first-level cache.
const tile = 32

// tiles divides a plane into squares and calls copy for each of them. The arguments of copy are the
// offsets of the square in the destination and in the source, and its numbers of rows and columns.
// A plane of one row is copied in one call.
func tiles(rows, cols axis, d, s int, copy func(d, s, rows, cols int)) {
	if rows.n == 1 {
		copy(d, s, 1, cols.n)
		return
	}
	for r := 0; r < rows.n; r += tile {
		for c := 0; c < cols.n; c += tile {
			copy(d+r*rows.dst+c*cols.dst, s+r*rows.src+c*cols.src, min(tile, rows.n-r), min(tile, cols.n-c))
		}
	}
}

// square is a part of a plane. Its first element is at d in the destination and at s in the source.
type square struct {
	rows, cols axis
	d, s       int
}

// bytes copies elements of size bytes and calls fix as [move.bytes] does.
func (t square) bytes(dst, src []byte, size int, fix func([]byte)) {
	if t.cols.dst != size {
		t.apart(dst, src, size, fix)
		return
	}
	rows, cols := 0, 0
	if t.rows.src == size {
		rows, cols = t.blocks(dst, src, size)
	}
	for r := range t.rows.n {
		c := 0
		if r < rows {
			c = cols
		}
		d := t.d + r*t.rows.dst
		gather(dst[d+c*size:d+t.cols.n*size], src, t.s+r*t.rows.src+c*t.cols.src, t.cols.src, size)
	}
	if fix != nil {
		for r := range t.rows.n {
			d := t.d + r*t.rows.dst
			fix(dst[d : d+t.cols.n*size])
		}
	}
}

// blocks copies elements of 1, 2, 4 or 8 bytes that are contiguous along the rows in the source and
// along the columns in the destination. It copies 8 bytes at a time in blocks of 8 columns, whose
// cache lines stay in the first-level cache at any stride. It returns the number of rows and
// columns that it copied. The caller copies the remaining ones, fewer than 8 rows and fewer than 8
// columns.
func (t square) blocks(dst, src []byte, size int) (rows, cols int) {
	if size > 8 || size&(size-1) != 0 {
		return 0, 0
	}
	step, down := t.cols.src, t.rows.dst
	rows, cols = t.rows.n&^(8/size-1), t.cols.n&^7
	for c := 0; c < cols; c += 8 {
		d, s := t.d+c*size, t.s+c*step
		switch size {
		case 1:
			for r := 0; r < rows; r += 8 {
				turn8(dst, src, d+r*down, s+r, down, step)
			}
		case 2:
			for r := 0; r < rows; r += 4 {
				turn4(dst, src, d+r*down, s+r*2, down, step)
				turn4(dst, src, d+r*down+8, s+r*2+4*step, down, step)
			}
		case 4:
			for r := 0; r < rows; r += 2 {
				up, low, from := dst[d+r*down:][:32], dst[d+(r+1)*down:][:32], s+r*4
				for i := 0; i < 32; i += 8 {
					a, b := load(src, from), load(src, from+step)
					store(up, i, a&0xffffffff|b<<32)
					store(low, i, a>>32|b&^0xffffffff)
					from += 2 * step
				}
			}
		case 8:
			for r := range rows {
				gather(dst[d+r*down:][:64], src, s+r*8, step, 8)
			}
		}
	}
	return rows, cols
}

func load(b []byte, at int) uint64     { return binary.LittleEndian.Uint64(b[at:]) }
func store(b []byte, at int, x uint64) { binary.LittleEndian.PutUint64(b[at:], x) }

// turn4 transposes a square of 4 by 4 elements of 2 bytes.
func turn4(dst, src []byte, d, s, rows, cols int) {
	x0, x1, x2, x3 := load(src, s), load(src, s+cols), load(src, s+2*cols), load(src, s+3*cols)
	x0, x2 = swap32(x0, x2)
	x1, x3 = swap32(x1, x3)
	x0, x1 = swap16(x0, x1)
	x2, x3 = swap16(x2, x3)
	store(dst, d, x0)
	store(dst, d+rows, x1)
	store(dst, d+2*rows, x2)
	store(dst, d+3*rows, x3)
}

// turn8 transposes a square of 8 by 8 bytes.
func turn8(dst, src []byte, d, s, rows, cols int) {
	x0, x1, x2, x3 := load(src, s), load(src, s+cols), load(src, s+2*cols), load(src, s+3*cols)
	x4, x5, x6, x7 := load(src, s+4*cols), load(src, s+5*cols), load(src, s+6*cols), load(src, s+7*cols)
	x0, x4 = swap32(x0, x4)
	x1, x5 = swap32(x1, x5)
	x2, x6 = swap32(x2, x6)
	x3, x7 = swap32(x3, x7)
	x0, x2 = swap16(x0, x2)
	x1, x3 = swap16(x1, x3)
	x4, x6 = swap16(x4, x6)
	x5, x7 = swap16(x5, x7)
	x0, x1 = swap8(x0, x1)
	x2, x3 = swap8(x2, x3)
	x4, x5 = swap8(x4, x5)
	x6, x7 = swap8(x6, x7)
	store(dst, d, x0)
	store(dst, d+rows, x1)
	store(dst, d+2*rows, x2)
	store(dst, d+3*rows, x3)
	store(dst, d+4*rows, x4)
	store(dst, d+5*rows, x5)
	store(dst, d+6*rows, x6)
	store(dst, d+7*rows, x7)
}

// swap32, swap16 and swap8 exchange the upper half of a with the lower half of b, in each group of
// 8, 4 or 2 bytes.
func swap32(a, b uint64) (uint64, uint64) { return a&0xffffffff | b<<32, a>>32 | b&^0xffffffff }

func swap16(a, b uint64) (uint64, uint64) {
	t := (a>>16 ^ b) & 0x0000ffff0000ffff
	return a ^ t<<16, b ^ t
}

func swap8(a, b uint64) (uint64, uint64) {
	t := (a>>8 ^ b) & 0x00ff00ff00ff00ff
	return a ^ t<<8, b ^ t
}

// apart copies elements that have gaps between them in the destination.
func (t square) apart(dst, src []byte, size int, fix func([]byte)) {
	for r := range t.rows.n {
		d, s := t.d+r*t.rows.dst, t.s+r*t.rows.src
		for range t.cols.n {
			copy(dst[d:d+size], src[s:])
			if fix != nil {
				fix(dst[d : d+size])
			}
			d, s = d+t.cols.dst, s+t.cols.src
		}
	}
}

// gather fills dst with elements of size bytes from src. The first element is at s, and elements
// are step bytes apart.
func gather(dst, src []byte, s, step, size int) {
	switch size {
	case 1:
		for i := range dst {
			dst[i] = src[s]
			s += step
		}
	case 2:
		for ; len(dst) >= 2; dst = dst[2:] {
			binary.LittleEndian.PutUint16(dst, binary.LittleEndian.Uint16(src[s:]))
			s += step
		}
	case 4:
		for ; len(dst) >= 4; dst = dst[4:] {
			binary.LittleEndian.PutUint32(dst, binary.LittleEndian.Uint32(src[s:]))
			s += step
		}
	case 8:
		for ; len(dst) >= 8; dst = dst[8:] {
			binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src[s:]))
			s += step
		}
	default:
		for ; len(dst) > 0; dst = dst[size:] {
			copy(dst[:size], src[s:])
			s += step
		}
	}
}
