package codec

import "encoding/binary"

// walk is a permutation of axes, prepared: it takes an array that lies in C order at the destination from where its
// elements lie, strided, at the source. All numbers count elements.
//
// Axes that stay neighbours are merged, so that what is left is either runs that are copied whole, or planes with one
// axis along which the source is contiguous and one along which the destination is.
type walk struct {
	outer []axis // from slow to fast at the destination
	plane plane
	empty bool
}

type axis struct{ n, dst, src int }

// plane is rows × cols elements: columns are neighbours at the destination, rows at the source. When the run is more
// than 1 element, that many lie together at both ends.
type plane struct {
	rows, cols int
	dst, src   int // distance of rows at the destination, of columns at the source
	run        int
}

func newWalk(shape, src []int) walk {
	var axes []axis
	dst := strides(shape)
	for i, n := range shape {
		if n == 0 {
			return walk{empty: true}
		}
		if n == 1 {
			continue
		}
		if k := len(axes) - 1; k >= 0 && axes[k].src == n*src[i] {
			axes[k] = axis{axes[k].n * n, dst[i], src[i]}
			continue
		}
		axes = append(axes, axis{n, dst[i], src[i]})
	}
	w := walk{plane: plane{rows: 1, cols: 1, run: 1}}
	if k := len(axes) - 1; k >= 0 && axes[k].src == 1 {
		w.plane.run = axes[k].n
		axes = axes[:k]
	}
	if k := len(axes) - 1; k >= 0 {
		w.plane.cols, w.plane.src = axes[k].n, axes[k].src
		w.plane.dst = w.plane.cols * w.plane.run
		axes = axes[:k]
	}
	// The row axis is the one along which the source is contiguous; with runs there is none.
	for i, a := range axes {
		if a.src == 1 {
			w.plane.rows, w.plane.dst = a.n, a.dst
			axes = append(axes[:i:i], axes[i+1:]...)
			break
		}
	}
	w.outer = axes
	return w
}

// run calls f with the offset of every plane.
func (w walk) run(f func(dst, src int, p plane)) {
	if w.empty {
		return
	}
	at := make([]int, len(w.outer))
	d, s := 0, 0
	for {
		f(d, s, w.plane)
		i := len(at) - 1
		for ; i >= 0; i-- {
			a := w.outer[i]
			at[i]++
			d, s = d+a.dst, s+a.src
			if at[i] < a.n {
				break
			}
			d, s, at[i] = d-a.n*a.dst, s-a.n*a.src, 0
		}
		if i < 0 {
			return
		}
	}
}

// tile is the side of the square in which a plane is copied: 32 rows of 8-byte elements are 32 lines of 64 bytes at the
// source and 32 at the destination, which together stay in the first-level cache.
const tile = 32

// tiles calls f for every element of a plane with its offsets at both ends, square by square.
func (p plane) tiles(f func(dst, src, rows, cols int)) {
	for r := 0; r < p.rows; r += tile {
		for c := 0; c < p.cols; c += tile {
			f(r*p.dst+c, c*p.src+r, min(tile, p.rows-r), min(tile, p.cols-c))
		}
	}
}

// copyPlane copies a plane of values.
func copyPlane[T any](dst, src []T, p plane) {
	if p.run > 1 {
		for c := range p.cols {
			copy(dst[c*p.run:(c+1)*p.run], src[c*p.src:c*p.src+p.run])
		}
		return
	}
	p.tiles(func(d, s, rows, cols int) {
		for r := range rows {
			to := dst[d+r*p.dst:][:cols]
			for c := range to {
				to[c] = src[s+c*p.src+r]
			}
		}
	})
}

// copyElems copies elements of size bytes.
func copyElems(w walk, dst, src []byte, size int) {
	w.run(func(d, s int, p plane) {
		dst, src := dst[d*size:], src[s*size:]
		if p.run > 1 || size == 1 {
			p.run, p.src = p.run*size, p.src*size
			copyPlane(dst, src, p)
			return
		}
		p.tiles(func(d, s, rows, cols int) {
			for r := range rows {
				to := dst[(d+r*p.dst)*size:][:cols*size]
				from := src[(s+r)*size:]
				step := p.src * size
				switch size {
				case 2:
					for c := range cols {
						binary.LittleEndian.PutUint16(to[c*2:], binary.LittleEndian.Uint16(from[c*step:]))
					}
				case 4:
					for c := range cols {
						binary.LittleEndian.PutUint32(to[c*4:], binary.LittleEndian.Uint32(from[c*step:]))
					}
				case 8:
					for c := range cols {
						binary.LittleEndian.PutUint64(to[c*8:], binary.LittleEndian.Uint64(from[c*step:]))
					}
				default:
					for c := range cols {
						copy(to[c*size:(c+1)*size], from[c*step:])
					}
				}
			}
		})
	})
}
