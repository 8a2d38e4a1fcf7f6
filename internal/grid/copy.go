package grid

import "bytes"

// run is one level of a nested copy: n steps of ds bytes in the destination and ss bytes in the source.
type run struct{ n, ds, ss int }

// FromChunk copies the box's elements of size bytes from a chunk of the given shape to the region's buffer.
func (b Box) FromChunk(dst, src []byte, region, chunk []int, size int) {
	d, s, runs := b.runs(region, chunk, size)
	copyRuns(dst[d:], src[s:], runs, size)
}

// ToChunk copies the box's elements of size bytes from the region's buffer to a chunk of the given shape.
func (b Box) ToChunk(dst, src []byte, region, chunk []int, size int) {
	d, s, runs := b.runs(region, chunk, size)
	for i, r := range runs {
		runs[i] = run{r.n, r.ss, r.ds}
	}
	copyRuns(dst[s:], src[d:], runs, size)
}

// FillRegion sets the box's elements in the region's buffer to fill, which is one element.
func (b Box) FillRegion(dst []byte, region, chunk []int, fill []byte) {
	d, _, runs := b.runs(region, chunk, len(fill))
	zero := isZero(fill)
	walk(dst[d:], nil, runs, len(fill), func(row, _ []byte) {
		if zero {
			clear(row)
		} else {
			Fill(row, fill)
		}
	})
}

// runs gives the offsets of the first element in the region and in the chunk, and the nested steps between elements,
// outermost first, with neighbouring levels that walk evenly through both joined.
func (b Box) runs(region, chunk []int, size int) (dst, src int, runs []run) {
	runs = make([]run, 0, len(region)+1)
	ds, ss := size, size
	for i := len(region) - 1; i >= 0; i-- {
		p := b.Parts[i]
		dst += p.Out * ds
		src += p.Off * ss
		r := run{p.N, ds, ss * p.Step}
		if p.N != 1 {
			if k := len(runs) - 1; k >= 0 && r.ds == runs[k].n*runs[k].ds && r.ss == runs[k].n*runs[k].ss {
				runs[k].n *= p.N
			} else {
				runs = append(runs, r)
			}
		}
		ds *= region[i]
		ss *= chunk[i]
	}
	for i, j := 0, len(runs)-1; i < j; i, j = i+1, j-1 {
		runs[i], runs[j] = runs[j], runs[i]
	}
	return dst, src, runs
}

func copyRuns(dst, src []byte, runs []run, size int) {
	walk(dst, src, runs, size, func(d, s []byte) { copy(d, s) })
}

// walk calls row for every stretch of bytes that is contiguous in both buffers. src may be nil.
func walk(dst, src []byte, runs []run, size int, row func(dst, src []byte)) {
	if len(runs) == 0 {
		row(dst[:size], upTo(src, size))
		return
	}
	r := runs[0]
	if len(runs) == 1 && r.ds == size && (r.ss == size || src == nil) {
		row(dst[:r.n*size], upTo(src, r.n*size))
		return
	}
	for i := range r.n {
		var s []byte
		if src != nil {
			s = src[i*r.ss:]
		}
		walk(dst[i*r.ds:], s, runs[1:], size, row)
	}
}

func upTo(b []byte, n int) []byte {
	if b == nil {
		return nil
	}
	return b[:n]
}

// Fill repeats the element fill over b, whose length is a multiple of it.
func Fill(b, fill []byte) {
	if len(b) == 0 {
		return
	}
	for n := copy(b, fill); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// IsFill tells whether every element of b is, bit for bit, fill.
func IsFill(b, fill []byte) bool {
	n := len(fill)
	if n == 0 || len(b) == 0 {
		return len(b) == 0
	}
	// b is all fill when its first element is, and when it equals itself shifted by one element.
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
