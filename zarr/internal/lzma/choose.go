package lzma

// choose returns the next symbol at pos. All positions before pos have been passed to the finder,
// and pos itself too if e.found holds its matches.
//
// Like the fast mode of liblzma, choose compares lengths and distances, not prices. It prefers a
// rep match to a match that is not much longer, and writes a literal if the next position has a
// better match.
func (e *chooser) choose(pos int) symbol {
	if !e.ahead {
		e.at(pos)
	}
	e.ahead = false
	avail := min(len(e.src)-pos, maxMatch)
	main := e.longest(pos, avail)
	rep := symbol{}
	for r := range e.reps {
		if n := e.repeats(pos, r, avail); n > int(rep.n) {
			rep = symbol{int32(n), uint32(r)}
		}
	}
	switch n := rep.n; {
	case int(n) >= e.nice:
		return e.take(pos, 1, rep)
	case int(main.n) >= e.nice:
		return e.take(pos, 1, main.symbol())
	case n >= minMatch && (n+1 >= main.n || n+2 >= main.n && main.dist >= 1<<9 || n+3 >= main.n && main.dist >= 1<<15):
		return e.take(pos, 1, rep)
	case main.n < minMatch || avail <= 2:
		return e.single(pos)
	}
	e.at(pos + 1)
	next := e.longest(pos+1, avail-1)
	better := next.n >= minMatch && (next.n >= main.n && next.dist < main.dist ||
		next.n == main.n+1 && !nearer(main.dist, next.dist) || next.n > main.n+1 ||
		next.n+1 >= main.n && main.n >= 3 && nearer(next.dist, main.dist))
	for r := range e.reps {
		better = better || e.repeats(pos+1, r, avail-1) >= max(minMatch, int(main.n)-1)
	}
	if better {
		e.ahead = true
		return e.single(pos)
	}
	return e.take(pos, 2, main.symbol())
}

// chooser chooses the symbols of an encoder.
type chooser struct {
	model
	finder
	ahead bool // found holds the matches of the next position
}

// longest returns the longest of the found matches, or a shorter one that is much nearer.
func (e *chooser) longest(pos, avail int) match {
	k := len(e.found) - 1
	if k < 0 {
		return match{}
	}
	m := e.found[k]
	if int(m.n) == e.nice {
		m.n = int32(e.common(pos, int(m.dist)+1, int(m.n), avail))
	}
	for ; k > 0 && m.n == e.found[k-1].n+1 && nearer(e.found[k-1].dist, m.dist); k-- {
		m = e.found[k-1]
	}
	if m.n == minMatch && m.dist >= 1<<7 {
		return match{} // two literals are shorter
	}
	return m
}

// nearer reports whether a distance is so much less than another one that it pays for one byte of
// length.
func nearer(a, b int32) bool { return a < b>>7 }

// repeats returns the length of the match at the last distance r, or 0.
func (e *chooser) repeats(pos, r, avail int) int {
	d := e.reps[r]
	if int64(d) >= int64(pos) || int(d) >= e.far {
		return 0
	}
	if n := e.common(pos, int(d)+1, 0, avail); n >= minMatch {
		return n
	}
	return 0
}

// single returns the symbol for one byte: a short rep match if the byte is that at the last
// distance, else a literal.
func (e *chooser) single(pos int) symbol {
	if d := e.reps[0]; int64(d) >= int64(pos) || int(d) >= e.far || e.src[pos] != e.src[pos-int(d)-1] {
		return symbol{1, literal}
	}
	return symbol{1, 0}
}

// take returns s. It passes the positions that s covers to the finder, except for the first known
// ones, which it already has.
func (e *chooser) take(pos, known int, s symbol) symbol {
	for k := known; k < int(s.n); k++ {
		e.insert(pos + k)
	}
	return s
}

// common returns the length, up to limit, of the common prefix of the strings at pos and at
// pos-back. The caller knows that the first n bytes are equal.
func (e *chooser) common(pos, back, n, limit int) int {
	a, b := e.src[pos:pos+limit], e.src[pos-back:]
	for n < limit && a[n] == b[n] {
		n++
	}
	return n
}
