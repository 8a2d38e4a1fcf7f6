package blosc

import (
	"encoding/binary"

	"github.com/zargo-io/zargo/zarr/codec/internal/lz4hc"
)

// Limits of the blosclz encoder.
const (
	lzFar     = lzNear + 65535 // maximum distance minus one
	lzTail    = 13             // literals at the end; c-blosc's decoder rejects a match there
	lzRun     = 32             // maximum number of literals of a run
	lzNearMin = 4              // minimum length of a match; it is the number of bytes hashed
	lzFarMin  = 6              // minimum length of a far match, which takes four bytes
	lzHashLog = 14
)

// lzTable finds positions by the hash of the four bytes at the position. An entry is a position
// plus one, or 0 if there is none.
type lzTable struct {
	head [1 << lzHashLog]int32
	prev []int32 // for each position, the previous one with the same hash
}

func lzHash(x uint32) uint32 { return x * 2654435761 >> (32 - lzHashLog) }

// lzTries is the maximum number of earlier positions that the encoder compares at each position,
// indexed by level.
var lzTries = [10]int{0, 1, 1, 1, 2, 2, 4, 8, 16, 32}

// bloscLZEncode writes src as a blosclz stream to out (see [bloscLZ]) and returns the length of the
// stream, or 0 if the stream would not be shorter than src. At each position it takes the longest
// match that it finds. From level 7 on, it also looks for a longer match at the next position.
func bloscLZEncode(out, src []byte, level int, t *lzTable) int {
	if len(src) < lzTail+8 {
		return 0
	}
	w := lzWriter{out: out[:0:min(len(out), len(src)-1)]}
	tries, lazy := lzTries[level], level >= 7
	t.head = [1 << lzHashLog]int32{}
	if tries > 1 {
		if cap(t.prev) < len(src) {
			t.prev = make([]int32, len(src))
		}
		t.prev = t.prev[:len(src)]
	}
	end := len(src) - lzTail
	from, at := 0, 1 // literals start at from; the first byte is always a literal
	t.add(src, 0, tries)
	for at < end {
		n, back := t.longest(src, at, end, tries)
		if n == 0 {
			t.add(src, at, tries)
			at += 1 + (at-from)>>6/tries // skip more and more positions while nothing matches
			continue
		}
		for lazy && at+1 < end && n < 64 {
			t.add(src, at, tries)
			more, far := t.longest(src, at+1, end, tries)
			if more <= n {
				break
			}
			n, back, at = more, far, at+1
		}
		if !w.literals(src[from:at]) || !w.match(n, back) {
			return 0
		}
		stop := at + n
		for step := 1 + n>>8; at < stop; at += step {
			t.add(src, at, tries)
		}
		from, at = stop, stop
	}
	if !w.literals(src[from:]) {
		return 0
	}
	w.out[0] |= 1 << 5 // the marker of blosclz streams
	return len(w.out)
}

// add inserts a position of src into the table.
func (t *lzTable) add(src []byte, at, tries int) {
	if at+4 > len(src) {
		return
	}
	h := lzHash(binary.LittleEndian.Uint32(src[at:]))
	if t.head[h] == int32(at+1) {
		return
	}
	if tries > 1 {
		t.prev[at] = t.head[h]
	}
	t.head[h] = int32(at + 1)
}

// longest finds the longest match that starts at src[at] and ends before src[end]. It returns the
// length and the distance of the match, or zeros if no match saves bytes.
func (t *lzTable) longest(src []byte, at, end, tries int) (n, back int) {
	x := binary.LittleEndian.Uint32(src[at:])
	for place := t.head[lzHash(x)]; place > 0 && tries > 0; tries-- {
		from := int(place) - 1
		if from >= at { // an entry for at itself
			place = t.before(from)
			continue
		}
		if at-from-1 > lzFar {
			break
		}
		if binary.LittleEndian.Uint32(src[from:]) == x {
			k := lz4hc.Same(src, from, at, end)
			if k > n && k >= lzNearMin && (at-from-1 < lzNear || k >= lzFarMin) {
				n, back = k, at-from
			}
		}
		if place = t.before(from); int(place) > from {
			break
		}
	}
	return n, back
}

func (t *lzTable) before(at int) int32 {
	if at >= len(t.prev) {
		return 0
	}
	return t.prev[at]
}

// lzWriter appends runs to out. Its methods return false if a run might exceed the capacity of out.
type lzWriter struct{ out []byte }

func (w *lzWriter) literals(b []byte) bool {
	if len(w.out)+len(b)+(len(b)+lzRun-1)/lzRun > cap(w.out) {
		return false
	}
	for len(b) > 0 {
		n := min(len(b), lzRun)
		w.out = append(append(w.out, byte(n-1)), b[:n]...)
		b = b[n:]
	}
	return true
}

func (w *lzWriter) match(n, back int) bool {
	if len(w.out)+n/255+6 > cap(w.out) {
		return false
	}
	n, back = n-lzMinMatch+1, back-1
	far := back >= lzNear
	high := byte(back >> 8)
	if far {
		high = lzNear >> 8
	}
	if n < 7 {
		w.out = append(w.out, byte(n)<<5|high)
	} else {
		w.out = append(w.out, 7<<5|high)
		for n -= 7; n >= 255; n -= 255 {
			w.out = append(w.out, 255)
		}
		w.out = append(w.out, byte(n))
	}
	if far {
		back -= lzNear
		w.out = append(w.out, 255, byte(back>>8))
	}
	w.out = append(w.out, byte(back))
	return true
}
