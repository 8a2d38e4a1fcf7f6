package zstdenc

// found is a match of n bytes at a position.
type found struct {
	at, n  int
	offset uint32
}

// idle is the maximum step between searched positions. Up to this step findLazy inserts the skipped
// positions.
const idle = 8

// findLazy is the match finder of the kinds "greedy", "lazy" and "lazy2". It uses the longest match
// at a position, unless the kind is lazy or lazy2 and a following position has a better match.
func (e *Encoder) findLazy(from, to int) {
	src := e.src
	limit := to - 8
	ahead := int(e.p.kind - greedy)
	start := from
	i := max(from, 1)
	for i < limit {
		var m found
		if offset := e.reps[0]; offset <= uint32(i+1) && load32(src, i+1) == load32(src, i+1-int(offset)) {
			m = found{i + 1, 4 + same(src, i+5-int(offset), i+5, to), offset}
		}
		if m.n == 0 || ahead > 0 {
			if n, offset := e.longest(i, max(m.n, 3), to); n > 0 {
				m = found{i, n, offset}
			}
		}
		if m.n == 0 {
			step := 1 + (i-start)>>(after-1)
			i += step
			if step > idle {
				e.filled = i
			}
			continue
		}
		// Try the next positions. A match at a later position must be better by a margin.
		for left := ahead; left > 0 && i+1 < limit && m.at+m.n < to; {
			i++
			better := false
			if offset := e.reps[0]; m.offset != offset && offset <= uint32(i) && load32(src, i) == load32(src, i-int(offset)) {
				n := 4 + same(src, i+4-int(offset), i+4, to)
				weight := 3
				if left < ahead {
					weight = 4
				}
				if n*weight > m.n*weight-highBit(m.offset+1)+1 {
					m = found{i, n, offset}
				}
			}
			if n, offset := e.longest(i, 3, to); n > 0 {
				extra := 4
				if left < ahead {
					extra = 7
				}
				if n*4-highBit(offset+3) > m.n*4-e.weigh(m)+extra {
					m = found{i, n, offset}
					better = true
				}
			}
			if better {
				left = ahead
			} else {
				left--
			}
		}
		at, n := m.at, m.n
		if m.offset != e.reps[0] {
			at, n = e.before(start, at, n, m.offset)
		}
		e.emit(start, at, n, m.offset)
		i = at + n
		start = i
		for i < limit {
			b := e.reps[1]
			if b > uint32(i) || load32(src, i) != load32(src, i-int(b)) {
				break
			}
			n := 4 + same(src, i+4-int(b), i+4, to)
			e.emit(i, i, n, b)
			i += n
			start = i
		}
	}
}

// weigh returns the approximate number of bits that the offset of a match takes.
func (e *Encoder) weigh(m found) int {
	if m.offset == e.reps[0] {
		return 0
	}
	return highBit(m.offset + 3)
}
