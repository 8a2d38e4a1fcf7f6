package zstdenc

// prices holds the costs of literals, and of the codes of literals lengths, match lengths and
// offsets.
type prices struct {
	lit          [256]uint32
	run          [64]uint32 // of short literals lengths
	runs         [litCodes]uint32
	short        [128]uint32 // of short match lengths minus 3
	matchLengths [lenCodes]uint32
	offsets      [offsetCodes]uint32
}

// stats counts how often each literal and each code occurs in a block.
type stats struct {
	lit          [256]uint32
	runs         [litCodes]uint32
	matchLengths [lenCodes]uint32
	offsets      [offsetCodes]uint32
}

// guess estimates the statistics of a first block from its bytes. It assigns a small weight to the
// counts of bytes, and assumes that the latest repeat offset is the most frequent offset. With
// these prices the planner finds regular sequences in rows of numbers that it does not find with
// others.
func (s *stats) guess(src []byte) {
	histogram(&s.lit, src)
	for i, c := range s.lit {
		s.lit[i] = min(c, 1) + c>>8
	}
	for i := range s.runs {
		s.runs[i] = 1
	}
	s.runs[0], s.runs[1] = 4, 2
	for i := range s.matchLengths {
		s.matchLengths[i] = 1
	}
	s.offsets = [offsetCodes]uint32{200, 2, 1, 1, 2, 3, 4, 4, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
}

// cost returns the estimated cost of all counted literals and codes, including the extra bits of
// codes.
func (s *stats) cost() (sum uint64) {
	sum = entropy(s.lit[:]) + entropy(s.runs[:]) + entropy(s.matchLengths[:]) + entropy(s.offsets[:])
	for i, n := range s.runs {
		sum += uint64(n) * bit * uint64(litExtra[i])
	}
	for i, n := range s.matchLengths {
		sum += uint64(n) * bit * uint64(lenExtra[i])
	}
	for i, n := range s.offsets {
		sum += uint64(n) * bit * uint64(i)
	}
	return sum
}

// perMatch is added to the price of each match, because decoding a match takes time.
const perMatch = bit / 5

// set computes the prices from the statistics s.
func (p *prices) set(s *stats) {
	price(p.lit[:], s.lit[:])
	for i := range p.lit {
		p.lit[i] = min(max(p.lit[i], bit), maxBits*bit) // within the lengths of Huffman codes
	}
	price(p.runs[:], s.runs[:])
	for i := range p.runs {
		p.runs[i] += uint32(litExtra[i]) * bit
	}
	for i := range p.run {
		p.run[i] = p.runs[shortLits[i]]
	}
	price(p.matchLengths[:], s.matchLengths[:])
	for i := range p.matchLengths {
		p.matchLengths[i] += uint32(lenExtra[i])*bit + perMatch
	}
	for i := range p.short {
		p.short[i] = p.matchLengths[shortLens[i]]
	}
	price(p.offsets[:], s.offsets[:])
	for i := range p.offsets {
		p.offsets[i] += uint32(i) * bit
	}
}

// price sets dst to the costs of codes with the given counts. It adds 1 to each count, so that
// codes that do not occur have a price.
func price(dst, counts []uint32) {
	n := uint32(0)
	for _, c := range counts {
		n += c
	}
	all := log2(n + 1)
	for i, c := range counts {
		dst[i] = all - log2(c+1)
	}
}

// literals returns the price of the literals length n. It does not include the price of the
// literals.
func (p *prices) literals(n uint32) uint32 {
	if n < 64 {
		return p.run[n]
	}
	code, _ := litCode(min(n, maxBlock-1)) // no match fits after more literals
	return p.runs[code]
}

// length returns the price of the match length n.
func (p *prices) length(n uint32) uint32 {
	if n -= minMatch; n < uint32(len(p.short)) {
		return p.short[n]
	}
	code, _ := lenCode(n)
	return p.matchLengths[code]
}
