package store

import "math/bits"

// A span is divided at a key, the cut, beyond which its keys are expected to continue. Keys are
// treated as strings of digits. The cut is at the first position at which greater bytes are
// expected, and is placed before the middle one of these bytes.
//
// The expected bytes are the first bytes that differ between adjacent keys of the listing. Each of
// them is expected at every position where adjacent keys have differed. If a key has a digit at a
// position, all digits are expected there as well. A wrong expectation costs one request for an
// empty span. It cannot lose a key, because the spans are contiguous.

// cut is a key at which a span may be divided.
type cut struct {
	key    string // last key of the lower span
	at     int    // index of the last byte of key; the smaller it is, the more keys may follow
	values int    // number of bytes expected at that index; 0 means that there is no cut
}

// cut returns the best cut of a span.
func (l *listers) cut(s *span) cut {
	least := s.same
	if s.narrow {
		least++ // one page covers about one value of that byte
	}
	for at := len(l.o.KeyPrefix); at < min(len(s.pos), least); at++ {
		b := s.pos[at]
		if b >= 0x80 {
			continue
		}
		above := l.bytes.expected(at, b).above(b)
		for above.len() > 0 {
			next := above.middle()
			key := s.pos[:at] + string(rune(next))
			switch {
			case s.end != "" && key >= s.end:
				above = above.below(next)
			case ListOptions{StartAfter: key}.Check(l.prefix) != nil:
				above = above.without(next)
			default:
				return cut{key, at, above.len()}
			}
		}
	}
	return cut{}
}

// common returns the length of the common prefix of two keys. The result narrow is true if, after
// the prefix, the byte of b is the successor of the byte of a.
func common(a, b string) (same int, narrow bool) {
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return same, same < min(len(a), len(b)) && b[same]-a[same] == 1
}

// places is the number of bytes that are examined at the beginning of each key.
const places = 256

// alphabet is the set of the first bytes that differ between adjacent keys.
type alphabet struct {
	parted [places]bool
	bytes  set
}

// add adds the first bytes that differ between two adjacent keys. The parameter last is the greater
// key.
func (a *alphabet) add(key, last string) {
	i := 0
	for i < min(len(key), len(last)) && key[i] == last[i] {
		i++
	}
	if i < min(len(key), len(last), places) {
		a.parted[i] = true
		a.bytes = a.bytes.with(key[i]).with(last[i])
	}
}

// expected returns the bytes that are expected at index i of a key, where the current key has b.
func (a *alphabet) expected(i int, b byte) set {
	switch {
	case b >= '0' && b <= '9':
		return a.bytes.or(set{lo: digits}).without('/') // segments are not empty
	case i < places && a.parted[i]:
		return a.bytes.without('/')
	}
	return set{}
}

// set is a set of ASCII characters.
type set struct{ lo, hi uint64 }

const digits = 0x3ff << '0'

func (s set) has(b byte) bool { o := one(b); return s.lo&o.lo|s.hi&o.hi != 0 }

// one returns the set that contains b, or the empty set if b is not ASCII.
func one(b byte) set {
	if b < 64 {
		return set{lo: 1 << b}
	}
	return set{hi: 1 << (b - 64)} // 0 for b >= 128
}

func (s set) or(o set) set       { return set{s.lo | o.lo, s.hi | o.hi} }
func (s set) with(b byte) set    { return s.or(one(b)) }
func (s set) without(b byte) set { o := one(b); return set{s.lo &^ o.lo, s.hi &^ o.hi} }
func (s set) len() int           { return bits.OnesCount64(s.lo) + bits.OnesCount64(s.hi) }

// below returns the characters less than b.
func (s set) below(b byte) set {
	if b < 64 {
		return set{lo: s.lo & (1<<b - 1)}
	}
	return set{s.lo, s.hi & (1<<(b-64) - 1)}
}

// above returns the characters greater than b.
func (s set) above(b byte) set {
	low := s.below(b)
	return set{s.lo &^ low.lo, s.hi &^ low.hi}.without(b)
}

// middle returns the middle character of s, or the upper one if there are two.
func (s set) middle() byte {
	half := s.len() / 2
	n := 0
	for b := range byte(0x80) {
		if s.has(b) {
			if n == half {
				return b
			}
			n++
		}
	}
	return 0
}
