package codec

import (
	"math"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Strided is a box of a chunk in strided memory. For each axis of the chunk it holds the range of
// elements and their stride in memory. The memory may belong to a larger region that contains the
// chunk.
type Strided struct {
	// Block is the whole memory: Bytes for elements of a fixed size, else Items. If Bytes, Items
	// and Axes are all nil, the decoded chunk is discarded.
	Block
	// Size is the size of an element in bytes, or 1 if Block has Items. At is the position of the
	// box's first element in Block, in bytes, or in items if Block has Items.
	Size, At int
	// Axes has one Step for each axis of the chunk.
	Axes []Step
}

// Step is a box along one axis: the N elements at Off, Off+Each, Off+2·Each, … of the chunk, Stride
// bytes or items apart in memory. Each and Stride may be negative.
type Step struct{ N, Off, Each, Stride int }

// Whole returns the box of a whole chunk of the given shape, in C order, in memory of exactly that
// size. size is the size of an element in bytes, or 0 if elements vary in length.
func Whole(b Block, shape []int, size int) Strided {
	return whole(b, make([]Step, len(shape)), shape, max(size, 1))
}

// whole is Whole with preallocated axes.
func whole(b Block, axes []Step, shape []int, size int) Strided {
	stride := size
	for i := len(shape) - 1; i >= 0; i-- {
		axes[i] = Step{N: shape[i], Each: 1, Stride: stride}
		stride *= shape[i]
	}
	return Strided{Block: b, Size: size, Axes: axes}
}

// forgets reports whether m lacks memory, so that decoded elements are discarded.
func (m Strided) forgets() bool { return m.Bytes == nil && m.Items == nil && m.Axes == nil }

// check returns fault.Selection if the box exceeds the array or its own memory.
func (m Strided) check(st stage) error {
	shape, have := st.shape, len(m.Bytes)
	if st.items {
		have = len(m.Items)
	}
	switch {
	case len(m.Axes) != len(shape):
		return fault.Newf(fault.Selection, "the box has %d axes, but the chunk has %d", len(m.Axes), len(shape))
	case m.Size != st.size:
		return fault.Newf(fault.Selection, "elements of the box have %d bytes, but those of the chunk have %d", m.Size, st.size)
	}
	lo, hi := m.At, m.At // positions of the first and the last element in memory
	for i, a := range m.Axes {
		switch {
		case a.N == 0:
			return nil
		case a.N < 0 || a.Off < 0 || a.Off >= shape[i] || a.N > 1 && a.Each == 0:
			return outside(a, shape[i])
		case a.N > 1 && (a.Each > 0 && (shape[i]-1-a.Off)/(a.N-1) < a.Each || a.Each < 0 && a.Each < -(a.Off/(a.N-1))):
			return outside(a, shape[i])
		}
		if far := (a.N - 1) * a.Stride; a.N > 1 && (a.Stride > math.MaxInt/2/(a.N-1) || a.Stride < -math.MaxInt/2/(a.N-1)) {
			return fault.Newf(fault.Selection, "%d elements at a stride of %d overflow an int", a.N, a.Stride)
		} else if far > 0 {
			hi += far
		} else {
			lo += far
		}
		if lo < 0 || hi < 0 || hi > have-m.Size {
			return fault.Newf(fault.Selection, "the box spans %d to %d in a memory of %d", lo, hi+m.Size, have)
		}
	}
	if lo < 0 || hi > have-m.Size {
		return fault.Newf(fault.Selection, "the box spans %d to %d in a memory of %d", lo, hi+m.Size, have)
	}
	return nil
}

func outside(a Step, n int) error {
	return fault.Newf(fault.Selection, "%d elements from %d at a step of %d exceed an axis of length %d", a.N, a.Off, a.Each, n)
}

// covers reports whether the box contains every element of a chunk of the given shape.
func (m Strided) covers(shape []int) bool {
	for i, a := range m.Axes {
		if a.N != shape[i] || a.N > 1 && a.Each != 1 && a.Each != -1 {
			return false
		}
	}
	return true
}

// isContiguous returns the length of the box in bytes or items, and reports whether the box is the
// whole array in C order without gaps.
func (m Strided) isContiguous(st stage) (n int, ok bool) {
	n = m.Size
	for i := len(st.shape) - 1; i >= 0; i-- {
		a := m.Axes[i]
		if a.N != st.shape[i] || a.N > 1 && (a.Each != 1 || a.Stride != n) {
			return 0, false
		}
		n *= a.N
	}
	return n, true
}

// contiguous returns the memory of the box, and reports whether it is contiguous as in
// isContiguous.
func (m Strided) contiguous(st stage) (Block, bool) {
	n, ok := m.isContiguous(st)
	at := m.At
	switch {
	case !ok:
		return Block{}, false
	case n == 0:
		at = 0
	}
	if st.items {
		return Block{Items: m.Items[at : at+n : at+n]}, true
	}
	return Block{Bytes: m.Bytes[at : at+n : at+n]}, true
}

// copyTo copies the box from a whole array.
func (m Strided) copyTo(from Block, st stage) {
	var c move
	c.fromChunk(m, st.shape)
	if st.items {
		c.items(m.Items, from.Items)
		return
	}
	c.bytes(m.Bytes, from.Bytes, m.Size, nil)
}

// copyFrom copies the box into a whole array.
func (m Strided) copyFrom(to Block, st stage) {
	var c move
	c.toChunk(m, st.shape)
	if st.items {
		c.items(to.Items, m.Items)
		return
	}
	c.bytes(to.Bytes, m.Bytes, m.Size, nil)
}

// fill sets every element of the box to elem, or to zero bytes if elem is nil.
func (m Strided) fill(elem []byte, st stage) {
	var c move
	c.over(m)
	switch {
	case st.items:
		c.each(m.Size, func(at, n int) {
			for i := range n {
				m.Items[at+i] = elem
			}
		})
	case elem == nil:
		c.each(m.Size, func(at, n int) { clear(m.Bytes[at : at+n]) })
	default:
		c.each(m.Size, func(at, n int) { grid.Fill(m.Bytes[at:at+n], elem) })
	}
}

// IsFill reports whether every element of the box is equal to elem, bit for bit. Elements must have
// a fixed size.
func (m Strided) IsFill(elem []byte) bool {
	var c move
	c.over(m)
	is := true
	c.each(m.Size, func(at, n int) { is = is && grid.IsFill(m.Bytes[at:at+n], elem) })
	return is
}
