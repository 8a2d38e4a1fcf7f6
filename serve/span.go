package serve

import (
	"math"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// span is the range of a request: the bytes from first to last, or the last n bytes if first is
// negative. The zero span, with whole set to false, is never used: whole means no range.
type span struct {
	whole bool
	first int64 // -1 for a suffix
	last  int64 // math.MaxInt64 for the end of the value
	n     int64 // length of a suffix
}

// spanOf parses a header Range (RFC 9110, section 14.2). A header with another unit, several ranges
// or malformed text is ignored, as the RFC permits, and the result is the whole value.
func spanOf(header string) span {
	all := span{whole: true}
	set, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(header)), "bytes=")
	from, to, cut := strings.Cut(strings.TrimSpace(set), "-")
	if !ok || !cut {
		return all
	}
	a, hasA, okA := digits(from)
	b, hasB, okB := digits(to)
	switch {
	case !okA || !okB || !hasA && !hasB:
		return all
	case !hasA:
		return span{first: -1, n: b}
	case !hasB:
		return span{first: a, last: math.MaxInt64}
	case b < a:
		return all
	}
	return span{first: a, last: b}
}

// digits parses a decimal number. A number beyond int64 is math.MaxInt64, which is beyond the end of
// every value.
func digits(s string) (n int64, has, ok bool) {
	for i := range len(s) {
		c := s[i]
		switch {
		case c < '0' || c > '9':
			return 0, true, false
		case n > (math.MaxInt64-9)/10:
			n = math.MaxInt64
		default:
			n = n*10 + int64(c-'0')
		}
	}
	return n, s != "", true
}

// within returns the offset and length of the span in a value of size bytes. ok is false if the span
// has none of its bytes.
func (p span) within(size int64) (off, n int64, ok bool) {
	switch {
	case p.whole:
		return 0, size, true
	case p.first < 0:
		n = min(p.n, size)
		return size - n, n, n > 0
	case p.first >= size:
		return 0, 0, false
	}
	return p.first, min(p.last, size-1) - p.first + 1, true
}

// inStore returns the range of a store's Get that reads the span, if it has at most the given number
// of bytes, or if it ends with the value.
func (p span) inStore(most int64) (r store.Range, ok bool) {
	switch {
	case p.whole:
		return store.Range{}, true
	case p.first < 0:
		return store.Suffix(p.n), p.n > 0 && p.n <= most
	case p.last-p.first < most:
		return store.Within(p.first, p.last-p.first+1), true
	}
	return store.Range{}, false
}
