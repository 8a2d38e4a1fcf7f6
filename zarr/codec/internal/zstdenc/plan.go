package zstdenc

import "slices"

// planner finds the cheapest sequences of a block. For each position it keeps the cheapest path
// that ends there with a literal or with a match.
type planner struct {
	nodes []node
	reps  []recent // repeat offsets after the cheapest path to each position
	list  []match
	index []uint32 // for each position, the index of its first match in list

	prices prices
	stats  stats // statistics of the previous block, then of the chosen path
	known  bool  // the frame has an earlier block
	path   []found
	other  []found
}

// node describes the last step of the cheapest path to a position.
type node struct {
	price     uint32
	match     uint32 // length of the match that ends here; 0 for a literal
	offset    uint32 // offset of the match
	litLength uint32 // number of literals since the last match
}

const (
	// never is the price of a position that has not been reached.
	never = 1<<32 - 1
	// longEnough is the minimum length of a match that is always used without trying alternatives,
	// at any level. With half this value or less, the output for long runs with a few different
	// bytes gets 20 % larger.
	longEnough = 256
	// literalsBefore is the number of positions after the start of a long match at which repeat
	// offsets are still tried. A repeat offset may be cheaper if a run continues after one
	// different byte.
	literalsBefore = 16
	// overlapEnd is the number of positions at the end of a match that are searched if the match
	// overlaps itself, as in a run. The strings at the earlier positions are almost equal and would
	// make the tree deep: searching them would take ten times as long.
	overlapEnd = 40
	// maxList is the number of matches in a block. After so many matches, only the longest match of
	// a position is kept. So many matches take 8 MiB of memory and are unusual, because they are
	// about eight per position.
	maxList = 1 << 20
)

// findOptimal chooses the sequences of a block. It plans in passes, because the prices depend on
// the chosen sequences. The first pass uses the statistics of the previous block. Each later pass
// uses the statistics of the sequences that the previous pass chose. The passes end early if the
// cost does not decrease. For the first block of a frame the number of passes is doubled, because
// the statistics are a guess.
func (e *Encoder) findOptimal(from, to int) {
	p := &e.plan
	e.collect(from, to)
	passes := 1
	if e.p.kind == optimal2 {
		passes++
	}
	if !p.known {
		p.stats.guess(e.src[from:to])
		p.known = true
		passes *= 2
	}
	least := uint64(1<<64 - 1)
	for s := p.stats; passes > 0; passes-- {
		p.prices.set(&s)
		e.way(from, to)
		s = stats{}
		e.tally(&s, from, to)
		cost := s.cost()
		if cost >= least {
			break
		}
		least, p.stats = cost, s
		p.path, p.other = p.other, p.path
	}
	at := from
	for _, m := range p.other {
		e.emit(at, m.at, m.n, m.offset)
		at = m.at + m.n
	}
}

// collect finds the matches of all positions of a block. It skips positions within a long match.
// For the kind "optimal" it searches fewer positions after a long distance without a match.
func (e *Encoder) collect(from, to int) {
	p := &e.plan
	p.index = grow(p.index, to-from+1)
	p.list = p.list[:0]
	quiet := from         // end of the long match
	overlap := from       // overlapEnd positions before the end of an overlapping match
	empty := max(from, 1) // position of the last match found
	next := empty
	for i := from; i < to; i++ {
		p.index[i-from] = uint32(len(p.list))
		switch {
		case i < overlap:
		case i >= max(quiet, next):
			had := len(p.list)
			p.list = e.matches(p.list, i, to)
			if k := len(p.list) - 1; k >= had {
				empty = i
				for _, m := range p.list[had:] {
					overlap = max(overlap, i+int(m.n)-int(m.offset)-overlapEnd)
				}
				if k >= maxList && k > had {
					p.list[had] = p.list[k]
					p.list, k = p.list[:had+1], had
				}
				if int(p.list[k].n) >= max(e.p.nice, longEnough) {
					quiet = i + int(p.list[k].n)
					empty = quiet
				}
			}
			if e.p.kind == optimal {
				next = i + 1 + (i-empty)>>after
			}
		case i < quiet && (quiet-i <= fillMost || i&7 == 0):
			e.matches(nil, i, i)
		}
	}
	p.index[to-from] = uint32(len(p.list))
}

// way finds the cheapest path through the block at the current prices.
func (e *Encoder) way(from, to int) {
	p, t := &e.plan, &e.plan.prices
	n := to - from
	p.nodes, p.reps = grow(p.nodes, n+1), grow(p.reps, n+1)
	nodes, reps := p.nodes, p.reps
	for i := range nodes {
		nodes[i].price = never
	}
	nodes[0] = node{}
	reps[0] = e.reps
	src := e.src[:to]
	quiet, rep := 0, 0
	nice := max(e.p.nice, longEnough)
	window := 1 << e.p.window
	for i := range n {
		here := nodes[i]
		if i > 0 {
			if here.match == 0 {
				reps[i] = reps[i-1]
			} else {
				k := i - int(here.match)
				r := reps[k]
				r.push(here.offset, nodes[k].litLength, r.value(here.offset, nodes[k].litLength))
				reps[i] = r
			}
		}
		at := from + i
		price := here.price + t.lit[src[at]] + t.literals(here.litLength+1) - t.literals(here.litLength)
		if next := &nodes[i+1]; price < next.price {
			*next = node{price: price, litLength: here.litLength + 1}
		}
		if i < quiet && i >= rep || n-i < minMatch || at == 0 {
			continue
		}
		base := here.price + t.run[0]
		r := &reps[i]
		offsets := [3]uint32{r[0], r[1], r[2]}
		if here.litLength == 0 {
			offsets = [3]uint32{r[1], r[2], r[0] - 1}
		}
		l := minMatch // shorter lengths are usually cheaper with a repeat offset that was tried before
		for k, offset := range offsets {
			if offset == 0 || int(offset) > at || int(offset) > window {
				continue
			}
			c := at - int(offset)
			if src[c] != src[at] || src[c+1] != src[at+1] || src[c+2] != src[at+2] {
				continue
			}
			m := 3 + same(src, c+3, at+3, to)
			price := base + t.offsets[highBit(uint32(k+1))]
			if m >= nice {
				relax(&nodes[i+m], price+t.length(uint32(m)), m, offset)
				quiet, rep = max(quiet, i+m), 0
				break
			}
			for ; l <= m; l++ {
				relax(&nodes[i+l], price+t.length(uint32(l)), l, offset)
			}
		}
		if i < quiet {
			continue
		}
		for _, m := range p.list[p.index[i]:p.index[i+1]] {
			price := base + t.offsets[highBit(m.offset+3)]
			if int(m.n) >= nice {
				relax(&nodes[i+int(m.n)], price+t.length(m.n), int(m.n), m.offset)
				quiet, rep = i+int(m.n), i+literalsBefore
				break
			}
			for ; l <= int(m.n); l++ {
				relax(&nodes[i+l], price+t.length(uint32(l)), l, m.offset)
			}
		}
	}
	p.path = p.path[:0]
	for i := n; i > 0; {
		if m := nodes[i]; m.match > 0 {
			i -= int(m.match)
			p.path = append(p.path, found{from + i, int(m.match), m.offset})
		} else {
			i--
		}
	}
	slices.Reverse(p.path)
}

// relax sets the node dst to a match of length n if price is less than the price of the node.
func relax(dst *node, price uint32, n int, offset uint32) {
	if price < dst.price {
		*dst = node{price: price, match: uint32(n), offset: offset}
	}
}

// tally counts the codes of the path that way chose.
func (e *Encoder) tally(s *stats, from, to int) {
	r := e.reps
	at := from
	for _, m := range e.plan.path {
		for _, c := range e.src[at:m.at] {
			s.lit[c]++
		}
		litLength := uint32(m.at - at)
		v := r.value(m.offset, litLength)
		r.push(m.offset, litLength, v)
		run, _ := litCode(litLength)
		length, _ := lenCode(uint32(m.n - minMatch))
		s.runs[run]++
		s.matchLengths[length]++
		s.offsets[highBit(v)]++
		at = m.at + m.n
	}
	for _, c := range e.src[at:to] {
		s.lit[c]++
	}
}
