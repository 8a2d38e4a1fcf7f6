package lz4hc

// What the format says.
const (
	minMatch = 4
	maxBack  = 1<<16 - 1 // the largest distance
	tail     = 5         // bytes at the end that are literals
	margin   = 12        // no match starts nearer to the end
	nibble   = 15        // half a token that says this has more after it
)

const (
	hashLog = 15
	// part is how much is planned at once. A match that is planned may end in the next part, so a
	// seam costs a byte or two.
	part = 1 << 14
	// longest is the longest match that is planned. One that reaches the next part is made as long
	// as it gets.
	longest = 1<<16 - 1
)

// Encoder has the tables of an encoding, 384 KiB.
type Encoder struct {
	level level
	// base is the number of the first byte of the input. It grows from input to input by more than
	// a distance, so that what is left of the one before is too far away to be found, and nothing
	// has to be cleared.
	base    uint32
	used    uint32               // how many numbers the last input took, and the distance
	head    [1 << hashLog]uint32 // the number of the last place with a hash
	chain   [maxBack + 1]uint16  // of each place in the window how far back the one before with the same hash is; 0 is none
	matches [part]match          // of each place in the part the longest match, then the one that is taken
	costs   [part + 1]int32      // of each place in the part how many bytes the rest of it takes
}

// match is bytes that were there before; n is 0 when there are none.
type match struct{ n, back uint16 }

// level is what a level means.
type level struct {
	tries int // how many earlier places are looked at
	nice  int // a match as long as this is not improved on
	good  int // and one like this with a quarter of the tries
	step  int // how far apart the places are where it looks, until it finds something
	pass  int // after how many of them in vain that is one more, as a power of two; see apart
}

// levels make blocks about as long as those of liblz4's high compression at the same level, or
// shorter. Where tries is 1 a level looks at the last place only, see latest.
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

// New makes an encoder for a level, 1 to 9; others count as the nearest.
func New(level int) *Encoder {
	return &Encoder{level: levels[min(max(level, 1), 9)], base: maxBack + 1}
}

// Encode writes src as a block to dst and returns its length; 0 when it would not fit or not be
// shorter than src, and then what dst holds is undefined.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) <= margin {
		return 0
	}
	e.restart(len(src))
	w := writer{out: dst[:0:min(len(dst), len(src)-1)]}
	last := len(src) - margin
	from, at, seen := 0, 0, 0 // literals since from, places before seen are in the tables
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
		clear(e.matches[stop-at : n]) // they may be in a match, none starts there
		e.plan(n)
		for at < seen {
			m := e.matches[at-first]
			if m.n == 0 {
				at++
				continue
			}
			n, back := int(m.n), int(m.back)
			if n > seen-at {
				n += same(src, at+n-back, at+n, len(src)-tail)
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

// restart makes the numbers of n bytes that follow, and the tables forget what was before.
func (e *Encoder) restart(n int) {
	e.base += e.used
	e.used = uint32(n) + maxBack + 1
	if e.base >= -e.used { // the numbers would begin anew
		e.base = maxBack + 1
		e.head = [1 << hashLog]uint32{}
	}
}
