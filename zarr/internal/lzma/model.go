package lzma

import "math/bits"

// Properties contains the numbers of bits of the context that select the probabilities of a symbol.
type Properties struct {
	LC int // literal context bits: number of high bits of the previous byte
	LP int // literal position bits: number of low bits of the position; LC+LP is at most 4
	PB int // position bits: number of low bits of the position, for all other symbols
}

func (p Properties) valid() bool {
	return p.LC >= 0 && p.LP >= 0 && p.LC+p.LP <= 4 && p.PB >= 0 && p.PB <= 4
}

// byte returns the byte that encodes the properties in headers. The function propertiesOf parses
// this byte.
func (p Properties) byte() byte { return byte((p.PB*5+p.LP)*9 + p.LC) }

func propertiesOf(b byte) (Properties, bool) {
	n := int(b)
	p := Properties{n % 9, n / 9 % 5, n / 45}
	return p, p.valid()
}

const (
	minMatch = 2
	maxMatch = 273
	states   = 12 // see afterLiteral and the functions after it
	literals = 7  // states below this one follow a literal
	even     = 1 << 10
)

// prob is the probability that a bit is 0, in units of 1/2048.
type prob = uint16

// model holds the adaptive probabilities of a coder, its state, and the last four distances.
type model struct {
	Properties
	state int
	reps  [4]uint32 // distances minus one

	match    [states][16]prob
	rep      [states]prob
	repNot0  [states]prob
	repNot1  [states]prob
	repNot2  [states]prob
	repLong  [states][16]prob
	slot     [4][64]prob // by length
	special  [10][32]prob
	align    [16]prob
	length   lengthModel
	repeated lengthModel
	literal  []prob
}

// symbol is a literal, a match, or a rep match.
type symbol struct {
	n    int32  // length; 1 for a literal and a short rep
	what uint32 // literal, 0 to 3 for a rep match, or 4 plus a distance minus one
}

const literal = 1<<32 - 1

// lengthModel holds the probabilities of match lengths. Lengths minus minMatch have 8 low, 8 middle
// and 256 high values.
type lengthModel struct {
	mid, high prob
	lows      [16][8]prob
	mids      [16][8]prob
	highs     [256]prob
}

// reset sets the initial state and probabilities.
func (m *model) reset(p Properties) {
	literal := m.literal
	if n := 0x300 << (p.LC + p.LP); cap(literal) >= n {
		literal = literal[:n]
	} else {
		literal = make([]prob, n)
	}
	*m = model{Properties: p, literal: literal}
	fill(literal)
	for i := range states {
		fill(m.match[i][:])
		fill(m.repLong[i][:])
	}
	for _, p := range [][]prob{m.rep[:], m.repNot0[:], m.repNot1[:], m.repNot2[:], m.align[:]} {
		fill(p)
	}
	for i := range m.slot {
		fill(m.slot[i][:])
	}
	for i := range m.special {
		fill(m.special[i][:])
	}
	m.length.reset()
	m.repeated.reset()
}

func (m *lengthModel) reset() {
	m.mid, m.high = even, even
	for i := range m.lows {
		fill(m.lows[i][:])
		fill(m.mids[i][:])
	}
	fill(m.highs[:])
}

func fill(p []prob) {
	n := min(len(p), 16)
	for i := range n {
		p[i] = even
	}
	// Even a stream of 18 bytes may have 12,288 probabilities, so fill the slice with copies of
	// growing length.
	for n > 0 && n < len(p) {
		n += copy(p[n:], p[:n])
	}
}

// literalProbs returns the probabilities of the literal at position pos, after the byte prev.
func (m *model) literalProbs(pos int, prev byte) []prob {
	i := (pos&(1<<m.LP-1))<<m.LC + int(prev)>>(8-m.LC)
	return m.literal[0x300*i:][:0x300]
}

// The functions below return the state that follows the state s and one more symbol.

func afterLiteral(s int) int {
	switch {
	case s < 4:
		return 0
	case s < 10:
		return s - 3
	}
	return s - 6
}

func afterMatch(s int) int { return either(s, 7, 10) }
func afterRep(s int) int   { return either(s, 8, 11) }
func afterShort(s int) int { return either(s, 9, 11) }

func either(s, afterLiteral, afterMatch int) int {
	if s < literals {
		return afterLiteral
	}
	return afterMatch
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

// lengthState returns the index of a match length for the probabilities of its distance.
func lengthState(n int) int { return min(n-minMatch, 3) }

// Distances minus one are encoded with a slot, which determines the highest two bits and the number
// of lower bits. Up to slot 13 the lower bits have separate probabilities. From slot 14 on, the
// lowest four bits (align bits) share probabilities, and the bits in between have equal
// probabilities (direct bits).
const (
	firstSpecial = 4
	firstDirect  = 14
	alignBits    = 4
)

// slotOf returns the slot of d, a distance minus one. The slot is twice the index of the highest
// bit, plus the value of the next lower bit.
func slotOf(d uint32) int {
	if d < firstSpecial {
		return int(d)
	}
	n := bits.Len32(d) - 1
	return n<<1 | int(d>>(n-1)&1)
}
