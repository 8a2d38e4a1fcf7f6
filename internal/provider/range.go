package provider

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// RangeHeader returns the value of the header Range for r (RFC 9110 section 14.2), or "" for the
// whole value.
func RangeHeader(r store.Range) string {
	if n, ok := r.IsSuffix(); ok {
		return fmt.Sprintf("bytes=-%d", n)
	}
	if off, ok := r.IsFrom(); ok {
		return fmt.Sprintf("bytes=%d-", off)
	}
	if off, n, ok := r.IsWithin(); ok {
		return fmt.Sprintf("bytes=%d-%d", off, off+n-1)
	}
	return ""
}

// ContentRange parses "bytes first-last/size" (RFC 9110 section 14.4). ok is false for other forms,
// for a size of "*", and for a range beyond size.
func ContentRange(s string) (first, last, size int64, ok bool) {
	s, isBytes := strings.CutPrefix(s, "bytes ")
	span, total, hasTotal := strings.Cut(s, "/")
	a, z, hasEnd := strings.Cut(span, "-")
	if !isBytes || !hasTotal || !hasEnd {
		return 0, 0, 0, false
	}
	for to, digits := range map[*int64]string{&first: a, &last: z, &size: total} {
		u, err := strconv.ParseUint(digits, 10, 63)
		if err != nil {
			return 0, 0, 0, false
		}
		*to = int64(u)
	}
	return first, last, size, first <= last && last < size
}

// CheckLength returns fault.Path if prefix and key together are longer than store.MaxKey.
func CheckLength(prefix, key string) error {
	if n := len(prefix) + len(key); n > store.MaxKey {
		return fault.Newf(fault.Path, "key %q has %d bytes with its prefix, more than the maximum of %d", key, n, store.MaxKey)
	}
	return nil
}
