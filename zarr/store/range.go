package store

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Range selects bytes of a value. The zero Range selects the whole value. [From], [Within] and
// [Suffix] return other Ranges.
type Range struct {
	kind     rangeKind
	off, len int64
}

type rangeKind uint8

const (
	whole rangeKind = iota
	from
	within
	last
)

// From selects the bytes from off to the end. off must be less than the length of the value.
func From(off int64) Range { return Range{kind: from, off: off} }

// Within selects n bytes from off. n must be positive. If the value is shorter than off+n, Get
// returns fault.Corrupt; it never returns fewer bytes.
func Within(off, n int64) Range { return Range{kind: within, off: off, len: n} }

// Suffix selects the last n bytes. n must be positive. If the value is shorter than n, a Get
// returns fault.Corrupt.
func Suffix(n int64) Range { return Range{kind: last, len: n} }

// IsWhole reports whether r selects the whole value.
func (r Range) IsWhole() bool { return r.kind == whole }

// IsSuffix reports whether r was made by [Suffix], and returns its length.
func (r Range) IsSuffix() (n int64, ok bool) { return r.len, r.kind == last }

// IsFrom reports whether r was made by [From], and returns its offset.
func (r Range) IsFrom() (off int64, ok bool) { return r.off, r.kind == from }

// IsWithin reports whether r was made by [Within], and returns its offset and length.
func (r Range) IsWithin() (off, n int64, ok bool) { return r.off, r.len, r.kind == within }

// Check returns fault.Selection if r is empty or negative. Every store calls Check before it makes
// a request. Empty ranges are invalid because reading zero bytes does not prove that the key is
// present, and leaks connections in some SDKs.
func (r Range) Check() error {
	switch r.kind {
	case from:
		if r.off < 0 {
			return fault.Newf(fault.Selection, "byte range %v starts before the value", r)
		}
	case within:
		if r.off < 0 || r.len <= 0 || r.off+r.len < 0 {
			return fault.Newf(fault.Selection, "byte range %v is empty, negative or too long", r)
		}
	case last:
		if r.len <= 0 {
			return fault.Newf(fault.Selection, "byte range %v is empty", r)
		}
	}
	return nil
}

// Resolve returns the offset and length of r in a value of size bytes. It returns fault.Corrupt if
// the value is too short.
func (r Range) Resolve(size int64) (off, n int64, err error) {
	switch r.kind {
	case whole:
		return 0, size, nil
	case from:
		off, n = r.off, size-r.off
	case within:
		off, n = r.off, r.len
	case last:
		off, n = size-r.len, r.len
	}
	if off < 0 || n <= 0 || off > size-n {
		return 0, 0, fault.Newf(fault.Corrupt, "value of %d bytes is shorter than the range %v", size, r)
	}
	return off, n, nil
}

// String returns "whole", "5+20", "5-" or "last 16".
func (r Range) String() string {
	switch r.kind {
	case from:
		return fmt.Sprintf("%d-", r.off)
	case within:
		return fmt.Sprintf("%d+%d", r.off, r.len)
	case last:
		return fmt.Sprintf("last %d", r.len)
	}
	return "whole"
}
