package zstdenc

// prices are what literals, lengths and distances cost.
type prices struct {
	lit          [256]uint32
	run          [64]uint32 // by the number of literals before a match, where that is small
	runs         [litCodes]uint32
	short        [128]uint32 // by the length of a match less 3, where that is small
	matchLengths [lenCodes]uint32
	offsets      [backCodes]uint32
}

// stats are how often each code came up.
type stats struct {
	lit          [256]uint32
	runs         [litCodes]uint32
	matchLengths [lenCodes]uint32
	offsets      [backCodes]uint32
}

// guess is for a block of which nothing is known but its bytes, of which a few are to count only.
// The last distance again is taken to be what is most often used, which finds the regular ways
// through numbers in rows: from the other end they are not found.
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
	s.offsets = [backCodes]uint32{200, 2, 1, 1, 2, 3, 4, 4, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
}

// cost is what all of it takes.
func (s *stats) cost() (sum uint64) {
	sum = entropy(s.lit[:]) + entropy(s.runs[:]) + entropy(s.matchLengths[:]) + entropy(s.offsets[:])
	for i, n := range s.runs {
		sum += uint64(n) * bit * uint64(litMore[i])
	}
	for i, n := range s.matchLengths {
		sum += uint64(n) * bit * uint64(lenMore[i])
	}
	for i, n := range s.offsets {
		sum += uint64(n) * bit * uint64(i)
	}
	return sum
}

// perMatch is what a match costs beside its bits: reading it takes time.
const perMatch = bit / 5

// set computes prices.
func (p *prices) set(s *stats) {
	price(p.lit[:], s.lit[:])
	for i := range p.lit {
		p.lit[i] = min(max(p.lit[i], bit), maxBits*bit) // as Huffman's codes
	}
	price(p.runs[:], s.runs[:])
	for i := range p.runs {
		p.runs[i] += uint32(litMore[i]) * bit
	}
	for i := range p.run {
		p.run[i] = p.runs[shortLits[i]]
	}
	price(p.matchLengths[:], s.matchLengths[:])
	for i := range p.matchLengths {
		p.matchLengths[i] += uint32(lenMore[i])*bit + perMatch
	}
	for i := range p.short {
		p.short[i] = p.matchLengths[shortLens[i]]
	}
	price(p.offsets[:], s.offsets[:])
	for i := range p.offsets {
		p.offsets[i] += uint32(i) * bit
	}
}

// price computes those of codes that are so frequent. What there is none of counts as one.
func price(to, counts []uint32) {
	n := uint32(0)
	for _, c := range counts {
		n += c
	}
	all := log2(n + 1)
	for i, c := range counts {
		to[i] = all - log2(c+1)
	}
}

// literals is the price of a number of literals, without them.
func (p *prices) literals(n uint32) uint32 {
	if n < 64 {
		return p.run[n]
	}
	code, _ := litCode(min(n, maxBlock-1)) // behind more of them there is no room for a match
	return p.runs[code]
}

// length is the price of the length of a match.
func (p *prices) length(n uint32) uint32 {
	if n -= minMatch; n < uint32(len(p.short)) {
		return p.short[n]
	}
	code, _ := lenCode(n)
	return p.matchLengths[code]
}
