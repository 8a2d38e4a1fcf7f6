package grid

import (
	"bytes"
	"slices"
)

// Fill sets every element of b to fill. The length of b must be a multiple of the length of fill.
func Fill(b, fill []byte) {
	if len(b) == 0 {
		return
	}
	for n := copy(b, fill); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// IsFill reports whether every element of b is bitwise equal to fill.
func IsFill(b, fill []byte) bool {
	n := len(fill)
	if n == 0 || len(b) == 0 {
		return len(b) == 0
	}
	// All elements equal fill if the first one does and b equals itself shifted by one element.
	return bytes.Equal(b[:n], fill) && bytes.Equal(b[n:], b[:len(b)-n])
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// run is one level of a nested copy: a loop of n steps. Each step advances ds bytes in the
// destination and ss bytes in the source. If dl and sl are not nil, they contain the offsets of the
// steps instead.
type run struct {
	n, ds, ss int
	dl, sl    []int // offsets in bytes, or nil for steps of ds and ss
}

// at returns the offsets of step i in the destination and in the source.
func (r run) at(i int) (d, s int) {
	if r.dl != nil {
		return r.dl[i], r.sl[i]
	}
	return i * r.ds, i * r.ss
}

// FromChunk copies the elements of the box from src to dst. src is a chunk of shape chunk, and dst
// is a region of shape region. Elements have size bytes.
func (b Box) FromChunk(dst, src []byte, region, chunk []int, size int) {
	if b.Pairs != nil {
		b.copyPairs(dst, src, size, false)
		return
	}
	var room [8]run
	d, s, runs := b.runs(room[:0], region, chunk, size)
	walk(runs, size, d, s, func(d, s, n int) { copy(dst[d:d+n], src[s:s+n]) })
}

// walk calls row for each range of bytes that is contiguous in both buffers, with the two offsets
// and the length of the range.
func walk(runs []run, size, d, s int, row func(d, s, n int)) {
	if len(runs) == 0 {
		row(d, s, size)
		return
	}
	r := runs[0]
	if len(runs) == 1 && r.dl == nil && r.ds == size && r.ss == size {
		row(d, s, r.n*size)
		return
	}
	for i := range r.n {
		di, si := r.at(i)
		walk(runs[1:], size, d+di, s+si, row)
	}
}

// ToChunk copies the elements of the box from src to dst. src is a region of shape region, and dst
// is a chunk of shape chunk. Elements have size bytes.
func (b Box) ToChunk(dst, src []byte, region, chunk []int, size int) {
	if b.Pairs != nil {
		b.copyPairs(src, dst, size, true)
		return
	}
	var room [8]run
	d, s, runs := b.runs(room[:0], region, chunk, size)
	walk(runs, size, d, s, func(d, s, n int) { copy(dst[s:s+n], src[d:d+n]) })
}

// FillRegion sets the elements of the box in dst, a region of shape region. fill is one element.
func (b Box) FillRegion(dst []byte, region []int, fill []byte) {
	for _, p := range b.Pairs {
		copy(dst[p.To*len(fill):], fill)
	}
	if b.Pairs != nil {
		return
	}
	var room [8]run
	d, s, runs := b.placed().runs(room[:0], region, region, len(fill))
	zero := isZero(fill)
	walk(runs, len(fill), d, s, func(d, _, n int) {
		if zero {
			clear(dst[d : d+n])
		} else {
			Fill(dst[d:d+n], fill)
		}
	})
}

// placed returns a copy of the box whose positions in the chunk equal those in the region.
func (b Box) placed() Box {
	parts := make([]Part, len(b.Parts))
	for i, p := range b.Parts {
		parts[i] = Part{Off: p.Out, Step: 1, N: p.N, Out: p.Out, At: p.To, To: p.To}
	}
	return Box{Parts: parts}
}

// runs returns the levels of the nested copy, the outermost level first, and the offsets of the
// first element in the destination and in the source. It appends the levels to the argument runs,
// which must be empty. It joins adjacent levels whose steps are even in both buffers.
func (b Box) runs(runs []run, region, chunk []int, size int) (dst, src int, _ []run) {
	ds, ss := size, size
	for i := len(region) - 1; i >= 0; i-- {
		p := b.Parts[i]
		switch {
		case p.At != nil:
			runs = append(runs, run{n: p.N, dl: scaled(p.To, ds), sl: scaled(p.At, ss)})
		default:
			dst += p.Out * ds
			src += p.Off * ss
			r := run{n: p.N, ds: ds, ss: ss * p.Step}
			if k := len(runs) - 1; k >= 0 && r.ds == runs[k].n*runs[k].ds && r.ss == runs[k].n*runs[k].ss && runs[k].dl == nil {
				runs[k].n *= p.N
			} else if p.N != 1 {
				runs = append(runs, r)
			}
		}
		ds *= region[i]
		ss *= chunk[i]
	}
	slices.Reverse(runs)
	return dst, src, runs
}

func scaled(list []int, by int) []int {
	out := make([]int, len(list))
	for i, v := range list {
		out[i] = v * by
	}
	return out
}
