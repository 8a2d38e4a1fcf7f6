package lz4hc

// Encode writes src as a block to dst and returns its length. It returns 0 if the block does not
// fit or would not be shorter than src. In that case dst is undefined.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) <= margin {
		return 0
	}
	e.restart(len(src))
	w := writer{out: dst[:0:min(len(dst), len(src)-1)]}
	last := len(src) - margin
	from, at, seen := 0, 0, 0 // literals start at from; positions before seen are in the tables
	for at <= last {
		e.insert(src, max(seen, at-maxBack), at)
		first, n := at, min(part, len(src)-tail-at)
		seen = at + n
		stop := min(seen, last+1)
		if e.level.tries == 1 {
			e.latest(src, at, stop)
		} else {
			e.search(src, at, stop)
		}
		clear(e.matches[stop-at : n]) // positions at the end where no match may start
		e.plan(n)
		for at < seen {
			m := e.matches[at-first]
			if m.n == 0 {
				at++
				continue
			}
			n, back := int(m.n), int(m.back)
			if n > seen-at {
				n += Same(src, at+n-back, at+n, len(src)-tail)
			}
			if !w.sequence(src[from:at], n, back) {
				return 0
			}
			at += n
			from = at
		}
	}
	if !w.literals(src[from:]) {
		return 0
	}
	return len(w.out)
}

// level holds the parameters of a compression level.
type level struct {
	tries int // number of earlier positions tried
	nice  int // a match of this length is not improved
	good  int // a match of this length is improved with a quarter of the tries
	step  int // initial distance of the positions that are searched
	pass  int // logarithm of the number of misses after which the distance grows by 1; see apart
}

// match is a match of n bytes at an offset; n is 0 if there is none.
type match struct{ n, back uint16 }

// Encoder holds the tables of an encoder, 384 KiB.
type Encoder struct {
	level level
	// base is the position number of the first byte of the input. From one input to the next, base
	// grows by more than the maximum offset. Table entries of earlier inputs are therefore out of
	// range and do not have to be cleared.
	base uint32
	used uint32               // length of the last input plus the maximum offset
	head [1 << hashLog]uint32 // number of the latest position, by hash
	// chain has the offset from each position in the window to the previous one with the same hash,
	// or 0 for none.
	chain [maxBack + 1]uint16
	// matches has the longest match at each position of the part. The method plan replaces it by
	// the match that it chooses.
	matches [part]match
	costs   [part + 1]int32 // encoded size from each position to the end of the part
}

// These constants are those of the block format.
const (
	minMatch = 4
	maxBack  = 1<<16 - 1 // maximum offset
	tail     = 5         // number of bytes at the end that must be literals
	margin   = 12        // minimum distance of a match from the end
	nibble   = 15        // value of a half of the token that is followed by length bytes
)

const (
	hashLog = 15
	// part is the number of input bytes whose sequences are planned together. A match may extend
	// into the next part, so a boundary costs only a byte or two.
	part = 1 << 14
	// longest is the maximum match length in a plan. A match that reaches the next part is extended
	// afterwards.
	longest = 1<<16 - 1
)

// levels holds the parameters by level. At each level blocks are about as short as those of
// liblz4's HC encoder, or shorter. Levels with one try use the method latest.
var levels = [10]level{
	1: {tries: 1, nice: 8, step: 2, pass: 6},
	2: {tries: 1, nice: 16, step: 1, pass: 6},
	3: {tries: 3, nice: 32, good: 8, step: 1, pass: 6},
	4: {tries: 6, nice: 64, good: 8, step: 1, pass: 6},
	5: {tries: 12, nice: 64, good: 8, step: 1, pass: 7},
	6: {tries: 20, nice: 64, good: 8, step: 1, pass: 7},
	7: {tries: 32, nice: 64, good: 8, step: 1, pass: 7},
	8: {tries: 48, nice: 64, good: 8, step: 1, pass: 8},
	9: {tries: 80, nice: 64, good: 8, step: 1, pass: 8},
}

// restart prepares the tables for an input of n bytes. It changes base so that entries of earlier
// inputs are out of range.
func (e *Encoder) restart(n int) {
	e.base += e.used
	e.used = uint32(n) + maxBack + 1
	if e.base >= -e.used { // before the numbers overflow
		e.base = maxBack + 1
		e.head = [1 << hashLog]uint32{}
	}
}

// New returns an encoder for a level from 1 to 9. Other levels are clamped.
func New(level int) *Encoder {
	return &Encoder{level: levels[min(max(level, 1), 9)], base: maxBack + 1}
}
