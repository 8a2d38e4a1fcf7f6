package zfp

import "github.com/zargo-io/zargo/zarr/fault"

// field decodes the blocks of an array. The last axis of blocks varies fastest. Blocks at the end
// of an axis contain numbers that are not elements.
func field[I integer, U coefficient](dst []byte, b *blocks[I, U], shape []int, put func([]byte, []U)) error {
	four := [4]int{1, 1, 1, 1}
	copy(four[4-len(shape):], shape)
	nw, nz, ny, nx := four[0], four[1], four[2], four[3]
	for w := 0; w < nw; w += 4 {
		for z := 0; z < nz; z += 4 {
			for y := 0; y < ny; y += 4 {
				for x := 0; x < nx; x += 4 {
					b.next()
					if b.past() {
						return fault.Newf(fault.Corrupt, "%d bytes end before the zfp block at %v", b.end/8, []int{w, z, y, x}[4-len(shape):])
					}
					count := min(4, nx-x)
					for dw := range min(4, nw-w) {
						for dz := range min(4, nz-z) {
							for dy := range min(4, ny-y) {
								at := (((w+dw)*nz+z+dz)*ny+y+dy)*nx + x
								from := 4*dy + 16*dz + 64*dw
								put(dst[at*b.size:], b.coeffs[from:from+count])
							}
						}
					}
				}
			}
		}
	}
	// Streams end with a word of at most 64 bits.
	if b.end > (b.pos+63)/64*64 {
		return fault.Newf(fault.Corrupt, "%d bytes, the zfp blocks end after %d bits", b.end/8, b.pos)
	}
	return nil
}

// decode fills dst with the elements of an array of 1 to 4 axes, from the blocks that follow in r.
// dst has the size of the array.
func decode(dst []byte, r reader, shape []int, n number, p params) error {
	rank := len(shape)
	if n.wide {
		b := blocks[int64, uint64]{reader: r, params: p, number: n, rank: rank, order: order(rank), scaled: scaled64}
		return field(dst, &b, shape, n.put64())
	}
	b := blocks[int32, uint32]{reader: r, params: p, number: n, rank: rank, order: order(rank), scaled: scaled32}
	return field(dst, &b, shape, n.put32())
}
