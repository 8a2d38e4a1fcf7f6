package lz4hc

import (
	"encoding/binary"
	"math/bits"
)

// reach is how far a match is extended to places before the one where it was found. Without a bound
// each of them could extend over all of the part; more than this gains less than a tenth of a per
// cent.
const reach = 256

// apart is how far the places where matches are looked for get from each other where there are
// none. All are remembered, and a match is extended backwards, so that what is repeated is found
// again even if it is noise in itself.
const apart = 8

// hash is Knuth's, of four bytes.
func hash(x uint32) uint32 { return x * 2654435761 >> (32 - hashLog) }

// add puts a place into the tables and gives the distance of the one before it with the same hash;
// 0 is none.
func (e *Encoder) add(i int, x uint32) (back uint32) {
	h, number := hash(x), e.base+uint32(i)
	if back = number - e.head[h]; back > maxBack {
		back = 0
	}
	e.head[h] = number
	e.chain[i&maxBack] = uint16(back)
	return back
}

// insert adds the places between two.
func (e *Encoder) insert(src []byte, from, to int) {
	for i := from; i < to; i++ {
		e.add(i, binary.LittleEndian.Uint32(src[i:]))
	}
}

// search finds the longest matches for the places between two, of as many as the level says. A
// match for a place is one for the next too, shorter by one, so there only a longer one is looked
// for; and it may be one for the places before.
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
			end := binary.LittleEndian.Uint32(src[i+n-3:]) // a longer match has these, and few others do
			for ; d != 0 && tries > 0; tries-- {
				if at -= int(d); at < floor {
					break
				}
				if binary.LittleEndian.Uint32(src[at+n-3:]) == end {
					if k := same(src, at, i, limit); k > n {
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

// latest finds matches for the places between two like search, but looks at the last place with the
// same hash only, at none within a match that is long enough, and at fewer where nothing is found.
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
				if k := minMatch + same(src, at+minMatch, i+minMatch, limit); k > n {
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

// extend gives a match at a place to the ones before it that it is longer for.
func extend(found []match, src []byte, from, at, n, back int) {
	for i := at - 1; i >= max(from, back, at-reach) && src[i] == src[i-back] && int(found[i-from].n) < n+at-i; i-- {
		found[i-from] = match{uint16(n + at - i), uint16(back)}
	}
}

// same is how many bytes from two places on are the same, up to end for the second.
func same(src []byte, a, b, end int) int {
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
