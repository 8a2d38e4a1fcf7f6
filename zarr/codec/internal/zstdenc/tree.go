package zstdenc

// The kinds "optimal" and "optimal2" keep a binary tree for each hash of four bytes. The tree sorts
// the strings that start at the inserted positions, and the latest position is the root. A separate
// table has the latest position of each hash of three bytes.

// match is the length and the offset of a match.
type match struct{ n, offset uint32 }

// shortLog returns the base-2 logarithm of the number of entries in the table for hashes of three
// bytes.
func (e *Encoder) shortLog() uint8 { return min(e.p.window, 17) }

// matches appends the matches at position i and inserts i into the tree. No match extends beyond
// limit. Each match is longer than the previous one and has about the smallest offset of its
// length.
func (e *Encoder) matches(list []match, i, limit int) []match {
	src := e.src
	room := min(len(src)-i, max(e.p.nice, 16)+8) // common prefixes longer than this count as equal
	if room < 8 {
		return list
	}
	x := load64(src, i)
	number := e.base + uint32(i)
	window := min(uint32(1)<<e.p.window, uint32(i))
	best := minMatch - 1
	if e.p.min > 3 {
		best = 3
	}
	if e.p.min == 3 {
		h := hashOf(x, 3, e.shortLog())
		d := number - e.third[h]
		e.third[h] = number
		if d <= window && (load32(src, i)^load32(src, i-int(d)))<<8 == 0 {
			n := 3 + same(src, i+3-int(d), i+3, limit)
			// At a larger offset a match of three bytes saves nothing.
			if n = min(n, limit-i); n > best && d < 1<<18 {
				best = n
				list = append(list, match{uint32(n), d})
			}
		}
	}
	h := hashOf(x, max(e.p.min, 4), e.p.hash)
	root := e.first[h]
	e.first[h] = number
	sons := e.second
	mask := uint32(len(sons)/2 - 1)
	window = min(window, mask)
	me := 2 * (number & mask)
	less, greater := me, me+1
	nLess, nGreater := 0, 0
	for tries := 1 << e.p.search; ; tries-- {
		d := number - root
		if d > window || tries == 0 {
			sons[less], sons[greater] = 0, 0
			return list
		}
		pair := 2 * (root & mask)
		c := i - int(d)
		n := min(nLess, nGreater)
		n += same(src, c+n, i+n, i+room)
		if n > best {
			full := n
			if n == room {
				full += same(src, c+n, i+n, limit)
			}
			if full = min(full, limit-i); full > best {
				best = full
				list = append(list, match{uint32(full), d})
			}
		}
		if n == room {
			sons[less], sons[greater] = sons[pair], sons[pair+1]
			return list
		}
		if src[c+n] < src[i+n] {
			sons[less] = root
			less, nLess = pair+1, n
			root = sons[less]
		} else {
			sons[greater] = root
			greater, nGreater = pair, n
			root = sons[greater]
		}
	}
}
