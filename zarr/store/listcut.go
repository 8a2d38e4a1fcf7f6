package store

import "math/bits"

// A listing is divided where its keys are likely to go on. Keys are taken for strings of digits in
// places: at the first place at which a greater byte may come, the middle one of those is where the
// second part begins. Which bytes may come is learned from where neighbours in the listing part: in
// such a place may come what has parted any, and where there is a digit any digit. A wrong guess
// costs one request for an empty part, never a key: parts are ranges, and have no gaps.

// cut is where a span may be divided.
type cut struct {
	key    string // the last one of the lower part
	at     int    // the place of its last byte: the smaller, the more keys there may be
	values int    // bytes that may come there; 0: there is no place
}

// cut finds the place of a span.
func (l *listers) cut(s *span) cut {
	least := s.same
	if s.narrow {
		least++ // a page of keys holds about one value of that place
	}
	for at := len(l.o.KeyPrefix); at < min(len(s.pos), least); at++ {
		b := s.pos[at]
		if b >= 0x80 {
			continue
		}
		above := l.bytes.in(at, b).above(b)
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

// common is how many first bytes two keys have in common, and whether the next is the same but for
// one.
func common(a, b string) (same int, narrow bool) {
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return same, same < min(len(a), len(b)) && b[same]-a[same] == 1
}

// places is how many first bytes of keys are looked at.
const places = 256

// alphabet is the bytes that have parted neighbours.
type alphabet struct {
	parted [places]bool
	bytes  set
}

// add takes two neighbours, of which last is the greater.
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

// in is the bytes that may come at a place where there is b.
func (a *alphabet) in(at int, b byte) set {
	switch {
	case b >= '0' && b <= '9':
		return a.bytes.or(set{lo: digits}).without('/') // no segment is empty
	case at < places && a.parted[at]:
		return a.bytes.without('/')
	}
	return set{}
}

// set is one of ASCII characters.
type set struct{ lo, hi uint64 }

const digits = 0x3ff << '0'

func (s set) has(b byte) bool { o := one(b); return s.lo&o.lo|s.hi&o.hi != 0 }

// one is the set of b; of what is no ASCII it is empty.
func one(b byte) set {
	if b < 64 {
		return set{lo: 1 << b}
	}
	return set{hi: 1 << (b - 64)} // 0 from 128 on
}

func (s set) or(o set) set       { return set{s.lo | o.lo, s.hi | o.hi} }
func (s set) with(b byte) set    { return s.or(one(b)) }
func (s set) without(b byte) set { o := one(b); return set{s.lo &^ o.lo, s.hi &^ o.hi} }
func (s set) len() int           { return bits.OnesCount64(s.lo) + bits.OnesCount64(s.hi) }

// below is the characters before b.
func (s set) below(b byte) set {
	if b < 64 {
		return set{lo: s.lo & (1<<b - 1)}
	}
	return set{s.lo, s.hi & (1<<(b-64) - 1)}
}

// above is the characters after b.
func (s set) above(b byte) set {
	low := s.below(b)
	return set{s.lo &^ low.lo, s.hi &^ low.hi}.without(b)
}

// middle is the character in the middle, the upper one of two.
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
