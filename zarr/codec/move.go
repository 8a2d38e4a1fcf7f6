package codec

// move is a prepared copy of elements between two strided memories. Axes that are contiguous in
// both memories are merged.
type move struct {
	few      [8]axis // the axes, from slow to fast in the destination
	many     []axis  // replaces few if there are more than 8 axes
	n        int     // number of axes
	dst, src int     // positions of the first element
	empty    bool
}

// axes returns the axes as a slice of m's memory.
func (m *move) axes() []axis {
	if m.many != nil {
		return m.many[:m.n]
	}
	return m.few[:m.n]
}

// axis is one loop of a nested copy. It has n elements, and a stride in the destination and one in
// the source, in bytes or items.
type axis struct{ n, dst, src int }

// add adds an axis. If the destination stride is negative, add reverses the axis in the destination
// and in the source.
func (m *move) add(n, dst, src int) {
	switch {
	case n == 0:
		m.empty = true
		return
	case n == 1:
		return
	case dst < 0: // reverse both ends
		m.dst, m.src = m.dst+(n-1)*dst, m.src+(n-1)*src
		dst, src = -dst, -src
	}
	m.push(axis{n, dst, src})
}

func (m *move) push(a axis) {
	if m.n == len(m.few) && m.many == nil {
		m.many = append(make([]axis, 0, 4*m.n), m.few[:]...)
	}
	if m.many != nil {
		m.many = append(m.many[:m.n], a)
	} else {
		m.few[m.n] = a
	}
	m.n++
}

// order sorts the axes by their stride in the destination and merges contiguous ones.
func (m *move) order() {
	axes := m.axes()
	for i := 1; i < len(axes); i++ {
		for k := i; k > 0 && axes[k-1].dst < axes[k].dst; k-- {
			axes[k-1], axes[k] = axes[k], axes[k-1]
		}
	}
	n := 0
	for _, a := range axes {
		if n > 0 && axes[n-1].dst == a.n*a.dst && axes[n-1].src == a.n*a.src {
			axes[n-1] = axis{axes[n-1].n * a.n, a.dst, a.src}
			continue
		}
		axes[n] = a
		n++
	}
	m.n = n
}

// fromChunk prepares the copy of a box from a whole chunk of the given shape.
func (m *move) fromChunk(box Strided, shape []int) {
	m.dst = box.At
	stride := box.Size
	for i := len(shape) - 1; i >= 0; i-- {
		a := box.Axes[i]
		m.src += a.Off * stride
		m.add(a.N, a.Stride, a.Each*stride)
		stride *= shape[i]
	}
	m.order()
}

// inChunk is like fromChunk, but the loops visit the elements in the order of the chunk.
func (m *move) inChunk(box Strided, shape []int) {
	m.dst = box.At
	stride := box.Size
	for _, n := range shape {
		stride *= n
	}
	for i, n := range shape {
		a := box.Axes[i]
		if n == 0 || a.N == 0 {
			m.empty = true
			return
		}
		stride /= n
		m.src += a.Off * stride
		dst, src := a.Stride, a.Each*stride
		if a.Each < 0 && a.N > 1 {
			m.dst, m.src = m.dst+(a.N-1)*dst, m.src+(a.N-1)*src
			dst, src = -dst, -src
		}
		if axes := m.axes(); m.n > 0 && axes[m.n-1].dst == a.N*dst && axes[m.n-1].src == a.N*src {
			axes[m.n-1] = axis{axes[m.n-1].n * a.N, dst, src}
		} else if a.N > 1 {
			m.push(axis{a.N, dst, src})
		}
	}
}

// pull copies elements of size bytes from a chunk to dst. It reads them with the function read, in
// ascending order. m must come from inChunk, and its last axis must be contiguous in dst.
func (m *move) pull(dst []byte, size int, read func(dst []byte, at int) error) (err error) {
	row, inner := axis{1, size, size}, 0
	if m.n > 0 {
		row, inner = m.axes()[m.n-1], 1
	}
	if row.src == size {
		m.outer(inner, func(d, s int) {
			if err == nil {
				err = read(dst[d:d+row.n*size], s)
			}
		})
		return err
	}
	var some [4 << 10]byte // buffer for a run of elements and the bytes between them
	some1 := max(1, (len(some)-size)/row.src+1)
	m.outer(inner, func(d, s int) {
		for i := 0; i < row.n && err == nil; i += some1 {
			n := min(some1, row.n-i)
			to, at := dst[d+i*size:d+(i+n)*size], s+i*row.src
			if n == 1 {
				err = read(to, at)
				continue
			}
			span := some[:(n-1)*row.src+size]
			if err = read(span, at); err == nil {
				gather(to, span, 0, row.src, size)
			}
		}
	})
	return err
}

// toChunk prepares the copy of a box into a whole chunk of the given shape.
func (m *move) toChunk(box Strided, shape []int) {
	m.src = box.At
	stride := box.Size
	for i := len(shape) - 1; i >= 0; i-- {
		a := box.Axes[i]
		m.dst += a.Off * stride
		m.add(a.N, a.Each*stride, a.Stride)
		stride *= shape[i]
	}
	m.order()
}

// over prepares a loop over the elements of a box, without a source.
func (m *move) over(box Strided) {
	m.dst = box.At
	for i := len(box.Axes) - 1; i >= 0; i-- {
		m.add(box.Axes[i].N, box.Axes[i].Stride, 0)
	}
	m.order()
}

// outer calls f for each position along the outer axes. These are all axes except the last ones,
// whose number is inner. The arguments of f are the offsets of the position.
func (m *move) outer(inner int, f func(dst, src int)) {
	if m.empty {
		return
	}
	axes := m.axes()
	k := len(axes) - inner
	if k == 0 {
		f(m.dst, m.src)
		return
	}
	var few [8]int
	at := few[:]
	if k > len(few) {
		at = make([]int, k)
	}
	d, s := m.dst, m.src
	for {
		f(d, s)
		i := k - 1
		for ; i >= 0; i-- {
			a := axes[i]
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

// inCache is the number of bytes that are copied before the function fix processes them. It is half
// of 32 KiB, so that the bytes are still in the first-level cache.
const inCache = 16 << 10

// bytes copies elements of size bytes. If fix is not nil, bytes calls fix with every contiguous
// part of the destination that has been filled. A part consists of whole elements, and fix may
// modify the part.
func (m *move) bytes(dst, src []byte, size int, fix func([]byte)) {
	axes := m.axes()
	k := len(axes)
	if k == 0 || axes[k-1].dst == size && axes[k-1].src == size {
		n := size
		if k > 0 {
			n *= axes[k-1].n
		}
		piece := n
		if fix != nil {
			piece = max(inCache/size, 1) * size
		}
		m.outer(min(k, 1), func(d, s int) {
			for at := 0; at < n; at += piece {
				row := dst[d+at : d+min(at+piece, n)]
				copy(row, src[s+at:])
				if fix != nil {
					fix(row)
				}
			}
		})
		return
	}
	rows, cols, inner := m.plane()
	m.outer(inner, func(d, s int) {
		tiles(rows, cols, d, s, func(d, s, nr, nc int) {
			t := square{axis{nr, rows.dst, rows.src}, axis{nc, cols.dst, cols.src}, d, s}
			t.bytes(dst, src, size, fix)
		})
	})
}

// each calls do with the position and length, in bytes or items, of every contiguous part of the
// destination.
func (m *move) each(size int, do func(at, n int)) {
	axes := m.axes()
	k := len(axes)
	n := size
	if k > 0 && axes[k-1].dst == size {
		n *= axes[k-1].n
		k--
	}
	m.outer(len(axes)-k, func(d, _ int) { do(d, n) })
}

// items copies elements of varying length.
func (m *move) items(dst, src [][]byte) {
	rows, cols, inner := m.plane()
	m.outer(inner, func(d, s int) {
		tiles(rows, cols, d, s, func(d, s, nr, nc int) {
			for range nr {
				for i := range nc {
					dst[d+i*cols.dst] = src[s+i*cols.src]
				}
				d, s = d+rows.dst, s+rows.src
			}
		})
	})
}

// plane selects the axes of the two innermost loops. cols is the axis with the smallest destination
// stride. rows is the axis with the smallest source stride, if that is another axis. The outer
// loops must then skip the last axes of m, whose number is inner.
func (m *move) plane() (rows, cols axis, inner int) {
	rows, cols = axis{n: 1}, axis{n: 1}
	axes := m.axes()
	k := len(axes)
	if k == 0 {
		return rows, cols, 0
	}
	cols = axes[k-1]
	near := k - 1
	for i, a := range axes {
		if max(a.src, -a.src) < max(axes[near].src, -axes[near].src) {
			near = i
		}
	}
	if near == k-1 {
		return rows, cols, 1
	}
	rows = axes[near]
	copy(axes[near:], axes[near+1:])
	return rows, cols, 2
}
