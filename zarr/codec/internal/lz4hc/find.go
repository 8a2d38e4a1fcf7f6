package lz4hc

import (
	"encoding/binary"
	"math/bits"
)

// reach is the maximum backward extension of a match in bytes. Without a limit each match could
// extend over the whole part. A larger limit saves less than 0.1 %.
const reach = 256

// apart is the maximum distance between two searched positions in data without matches. Repeated
// noise is still found, because all positions are inserted into the tables and matches are extended
// backwards.
const apart = 8

// hash is Knuth's multiplicative hash of four bytes.
func hash(x uint32) uint32 { return x * 2654435761 >> (32 - hashLog) }

// add inserts a position into the tables. It returns the offset of the previous position with the
// same hash, or 0 if there is none.
func (e *Encoder) add(i int, x uint32) (back uint32) {
	h, number := hash(x), e.base+uint32(i)
	if back = number - e.head[h]; back > maxBack {
		back = 0
	}
	e.head[h] = number
	e.chain[i&maxBack] = uint16(back)
	return back
}

// insert adds the positions in [from, to).
func (e *Encoder) insert(src []byte, from, to int) {
	for i := from; i < to; i++ {
		e.add(i, binary.LittleEndian.Uint32(src[i:]))
	}
}

// search finds the longest matches at the positions in [from, to), with the level's number of
// tries. A match without its first byte is also a match at the next position, so search looks only
// for longer matches at the next position. It extends the matches that it finds to earlier
// positions.
func (e *Encoder) search(src []byte, from, to int) {
	l, found := e.level, e.matches[:to-from]
	limit := from + min(longest, len(src)-tail-from)
	n, back, missed := 0, 0, 0
	for i := from; i < to; i++ {
		x := binary.LittleEndian.Uint32(src[i:])
		d := e.add(i, x)
		n = max(n-1, minMatch-1)
		if n < l.nice && n < limit-i {
			tries := l.tries
			if n >= l.good {
				tries = (tries + 3) / 4
			}
			was, at, floor := n, i, max(0, i-maxBack)
			end := binary.LittleEndian.Uint32(src[i+n-3:]) // a longer match has the same bytes here
			for ; d != 0 && tries > 0; tries-- {
				if at -= int(d); at < floor {
					break
				}
				if binary.LittleEndian.Uint32(src[at+n-3:]) == end {
					if k := Same(src, at, i, limit); k > n {
						n, back = k, i-at
						if n >= l.nice || n >= limit-i {
							break
						}
						end = binary.LittleEndian.Uint32(src[i+n-3:])
					}
				}
				d = uint32(e.chain[at&maxBack])
			}
			if n > was {
				extend(found, src, from, i, n, back)
			}
		}
		if n >= minMatch {
			found[i-from] = match{uint16(n), uint16(back)}
			missed = 0
			continue
		}
		found[i-from] = match{}
		missed++
		for k := min(missed>>l.pass, apart-1); k > 0 && i+1 < to; k-- {
			i++
			e.add(i, binary.LittleEndian.Uint32(src[i:]))
			found[i-from] = match{}
		}
	}
}

// latest is like search, but tries only the most recent position with the same hash. It skips the
// positions inside a match that is longer than level.nice. While nothing matches, it skips more and
// more positions.
func (e *Encoder) latest(src []byte, from, to int) {
	l, found := e.level, e.matches[:to-from]
	limit := from + min(longest, len(src)-tail-from)
	start := (l.step - 1) << l.pass
	n, back, missed := 0, 0, start
	for i := from; i < to; i++ {
		x := binary.LittleEndian.Uint32(src[i:])
		h, number := hash(x), e.base+uint32(i)
		d := number - e.head[h]
		e.head[h] = number
		n--
		if d <= maxBack && n < l.nice {
			at := i - int(d)
			if binary.LittleEndian.Uint32(src[at:]) == x {
				if k := minMatch + Same(src, at+minMatch, i+minMatch, limit); k > n {
					n, back = k, i-at
					extend(found, src, from, i, n, back)
				}
			}
		}
		if n >= minMatch {
			found[i-from] = match{uint16(n), uint16(back)}
			for n > l.nice && i+1 < to {
				i++
				n--
				found[i-from] = match{uint16(n), uint16(back)}
			}
			missed = start
			continue
		}
		found[i-from] = match{}
		missed++
		for k := min(missed>>l.pass, apart-1); k > 0 && i+1 < to; k-- {
			i++
			n--
			e.head[hash(binary.LittleEndian.Uint32(src[i:]))] = e.base + uint32(i)
			found[i-from] = match{}
		}
	}
}

// extend extends a match to earlier positions. At each of these positions it replaces the known
// match if the extended match is longer.
func extend(found []match, src []byte, from, at, n, back int) {
	for i := at - 1; i >= max(from, back, at-reach) && src[i] == src[i-back] && int(found[i-from].n) < n+at-i; i-- {
		found[i-from] = match{uint16(n + at - i), uint16(back)}
	}
}

// Same returns the length of the common prefix of src[a:] and src[b:end].
func Same(src []byte, a, b, end int) int {
	start := b
	for b+8 <= end {
		if d := binary.LittleEndian.Uint64(src[a:]) ^ binary.LittleEndian.Uint64(src[b:]); d != 0 {
			return b - start + bits.TrailingZeros64(d)>>3
		}
		a, b = a+8, b+8
	}
	for b < end && src[a] == src[b] {
		a, b = a+1, b+1
	}
	return b - start
}
