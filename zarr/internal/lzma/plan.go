package lzma

// symbol is a literal, a match, or a rep match.
type symbol struct {
	n    int32  // length; 1 for a literal and a short rep
	what uint32 // literal, 0 to 3 for a rep match, or 4 plus a distance minus one
}

const literal = 1<<32 - 1

// window is the maximum number of positions of a plan.
const window = 2048

// node is the cheapest known path to a position: the last symbol of the path and the index of the
// node at which that symbol starts. If "two" is set, the path ends with a literal and the last
// symbol, and the field "before" holds the symbol before this literal.
type node struct {
	price uint32
	from  int32
	symbol
	// The planner also tries a literal and a rep0 match as one step. This step may follow a match
	// (the field "before") that has the same distance as the rep0 match and is not on the cheapest
	// path.
	before     symbol // the symbol before the literal, if two is set
	beforeFrom int32
	two        bool

	state int
	reps  [4]uint32
}

const never = 1 << 30

// planner chooses the symbols of a part of the input by the current prices.
type planner struct {
	nodes   [window + 2*maxMatch + 2]node
	end     int
	symbols []symbol
}

// way returns the node with index k if price is less than the price of this node, and nil
// otherwise. It adds nodes up to index k if needed.
func (p *planner) way(k int, price uint32) *node {
	for p.end < k {
		p.end++
		p.nodes[p.end].price = never
	}
	if n := &p.nodes[k]; price < n.price {
		n.price = price
		return n
	}
	return nil
}

// plan returns the next symbols from pos on. All positions that these symbols cover have been
// passed to the finder.
func (e *encoder) plan(pos int) []symbol {
	p := &e.planner
	p.end = 0
	p.nodes[0] = node{state: e.state, reps: e.reps}
	var long symbol // a match that is used without trying alternatives
	i := 0
	for ; i < window && long.n == 0; i++ {
		if i > 0 {
			if i == p.end {
				break
			}
			p.settle(i)
		}
		if pos+i == len(e.src) {
			break
		}
		long = e.look(pos, i)
		if long.n != 0 {
			break
		}
	}
	// Walk back from i, then reverse the symbols.
	s := p.symbols[:0]
	if long.n != 0 {
		s = append(s, long)
	}
	for at := i; at > 0; {
		n := &p.nodes[at]
		s = append(s, n.symbol)
		at = int(n.from)
		if n.two {
			s = append(s, symbol{1, literal})
			at--
			if n.before.n != 0 {
				s = append(s, n.before)
				at = int(n.beforeFrom)
			}
		}
	}
	for a, b := 0, len(s)-1; a < b; a, b = a+1, b-1 {
		s[a], s[b] = s[b], s[a]
	}
	p.symbols = s
	return s
}

// settle computes the state and the distances after the cheapest path to position i.
func (p *planner) settle(i int) {
	n := &p.nodes[i]
	at := int(n.from)
	if n.two {
		if at--; n.before.n != 0 {
			at = int(n.beforeFrom)
		}
	}
	n.state, n.reps = p.nodes[at].state, p.nodes[at].reps
	if n.two {
		if n.before.n != 0 {
			n.state, n.reps = after(n.before, n.state, n.reps)
		}
		n.state = afterLiteral(n.state)
	}
	n.state, n.reps = after(n.symbol, n.state, n.reps)
}

// after returns the state and the last distances after a symbol.
func after(s symbol, state int, reps [4]uint32) (int, [4]uint32) {
	switch {
	case s.what == literal:
		return afterLiteral(state), reps
	case s.what == 0 && s.n == 1:
		return afterShort(state), reps
	case s.what < 4:
		d := reps[s.what]
		copy(reps[1:s.what+1], reps[:s.what])
		reps[0] = d
		return afterRep(state), reps
	}
	return afterMatch(state), [4]uint32{s.what - 4, reps[0], reps[1], reps[2]}
}

// look tries all symbols at position start+i and updates the nodes that they reach. It returns a
// match if the match is long enough to be used without trying alternatives.
func (e *encoder) look(start, i int) symbol {
	p, t, m := &e.planner, &e.prices, &e.model
	pos := start + i
	avail := min(len(e.src)-pos, maxMatch)
	here := p.nodes[i]
	base := here.price
	posState := pos & (1<<m.PB - 1)
	found := e.at(pos)
	if k := len(found) - 1; k >= 0 && int(found[k].n) == e.nice {
		found[k].n = int32(e.common(pos, int(found[k].dist)+1, int(found[k].n), avail))
	}

	c, prev, other := e.src[pos], byte(0), byte(0)
	if pos > 0 {
		prev = e.src[pos-1]
	}
	back := int(here.reps[0]) + 1
	if back <= pos {
		other = e.src[pos-back]
	}
	isMatch := m.match[here.state][posState]
	lit := base + bitPrice(isMatch, 0) + literalPrice(m.literalProbs(pos, prev), c, here.state >= literals, other)
	if n := p.way(i+1, lit); n != nil {
		n.from, n.symbol, n.two = int32(i), symbol{1, literal}, false
	}
	matched := base + bitPrice(isMatch, 1)
	rep := matched + bitPrice(m.rep[here.state], 1)
	if back <= pos && other == c {
		price := rep + bitPrice(m.repNot0[here.state], 0) + bitPrice(m.repLong[here.state][posState], 0)
		if n := p.way(i+1, price); n != nil {
			n.from, n.symbol, n.two = int32(i), symbol{1, 0}, false
		}
	}
	// Try a literal followed by a rep match.
	if other != c && back <= pos {
		e.literalThenRep(start, i, pos, symbol{}, lit, here.state, back, avail)
	}

	longest := 0
	for r, d := range here.reps {
		if int64(d) >= int64(pos) || int(d) >= e.far {
			continue
		}
		n := e.common(pos, int(d)+1, 0, avail)
		if n < minMatch {
			continue
		}
		if n >= e.nice {
			e.skip(pos+1, n-1)
			return symbol{int32(n), uint32(r)}
		}
		longest = max(longest, n)
		price := rep + m.repPrice(r, here.state, posState)
		for l := n; l >= minMatch; l-- {
			if to := p.way(i+l, price+t.repeated[posState][l]); to != nil {
				to.from, to.symbol, to.two = int32(i), symbol{int32(l), uint32(r)}, false
			}
		}
		e.matchLiteralRep(start, i, pos, symbol{int32(n), uint32(r)}, price+t.repeated[posState][n], afterRep(here.state), int(d)+1, avail)
	}
	if len(found) == 0 {
		return symbol{}
	}
	if last := found[len(found)-1]; int(last.n) >= e.nice {
		e.skip(pos+1, int(last.n)-1)
		return symbol{last.n, uint32(last.dist) + 4}
	}
	normal := matched + bitPrice(m.rep[here.state], 0)
	l := minMatch
	for _, f := range found {
		for ; l <= int(f.n); l++ {
			price := normal + t.length[posState][l] + t.distance(uint32(f.dist), lengthState(l))
			if to := p.way(i+l, price); to != nil {
				to.from, to.symbol, to.two = int32(i), symbol{int32(l), uint32(f.dist) + 4}, false
			}
			if l == int(f.n) {
				e.matchLiteralRep(start, i, pos, symbol{f.n, uint32(f.dist) + 4}, price, afterMatch(here.state), int(f.dist)+1, avail)
			}
		}
	}
	return symbol{}
}

// matchLiteralRep tries a match, a literal and a rep0 match as one step.
func (e *encoder) matchLiteralRep(start, i, pos int, s symbol, price uint32, state, back, avail int) {
	n := int(s.n)
	if n+1+minMatch > avail {
		return
	}
	m, at := &e.model, pos+n
	posState := at & (1<<m.PB - 1)
	price += bitPrice(m.match[state][posState], 0) + literalPrice(m.literalProbs(at, e.src[at-1]), e.src[at], true, e.src[at-back])
	e.literalThenRep(start, i, at, s, price, state, back, avail-n)
}

// literalThenRep tries a literal at position pos, followed by a match at the distance back. price
// includes the price of the literal. state is the state before the literal.
func (e *encoder) literalThenRep(start, i, pos int, before symbol, price uint32, state, back, avail int) {
	if back > e.far {
		return
	}
	next := pos + 1
	n := e.common(next, back, 0, min(avail-1, e.nice))
	if n < minMatch {
		return
	}
	m := &e.model
	state = afterLiteral(state)
	posState := next & (1<<m.PB - 1)
	price += bitPrice(m.match[state][posState], 1) + bitPrice(m.rep[state], 1) + m.repPrice(0, state, posState) + e.prices.repeated[posState][n]
	if to := e.way(next-start+n, price); to != nil {
		to.from, to.symbol, to.two = int32(next-start), symbol{int32(n), 0}, true
		to.before, to.beforeFrom = before, int32(i)
	}
}

// repPrice returns the price of a rep match, without the price of its length. r is the index of the
// distance. A rep0 match has at least two bytes.
func (m *model) repPrice(r, state, posState int) uint32 {
	if r == 0 {
		return bitPrice(m.repNot0[state], 0) + bitPrice(m.repLong[state][posState], 1)
	}
	price := bitPrice(m.repNot0[state], 1)
	if r == 1 {
		return price + bitPrice(m.repNot1[state], 0)
	}
	return price + bitPrice(m.repNot1[state], 1) + bitPrice(m.repNot2[state], uint32(r-2))
}

// common returns the length, up to limit, of the common prefix of the strings at pos and at
// pos-back. The caller knows that the first n bytes are equal.
func (e *encoder) common(pos, back, n, limit int) int {
	a, b := e.src[pos:pos+limit], e.src[pos-back:]
	for n < limit && a[n] == b[n] {
		n++
	}
	return n
}

// skip passes n positions to the finder without searching for matches.
func (e *encoder) skip(pos, n int) {
	for k := range n {
		e.finder.skip(pos + k)
	}
}
