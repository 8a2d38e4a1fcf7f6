package lzma

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// FilterID is the ID of a filter. The values are those of liblzma and Python.
type FilterID uint64

// The filters of Python's module.
const (
	LZMA1    FilterID = 0x4000000000000001
	LZMA2    FilterID = 0x21
	Delta    FilterID = 0x03
	X86      FilterID = 0x04
	PowerPC  FilterID = 0x05
	IA64     FilterID = 0x06
	ARM      FilterID = 0x07
	ARMThumb FilterID = 0x08
	SPARC    FilterID = 0x09
)

// Filter is one filter of a chain. The last filter of a chain is LZMA1 or LZMA2. All other filters
// keep the length of the data.
type Filter struct {
	ID          FilterID
	Distance    int    // of Delta: 1 to 256
	StartOffset uint32 // of branch filters: position of the first byte
	Coder       Coder  // of LZMA1 and LZMA2
}

// Coder has the parameters of LZMA1 and LZMA2. Decoding uses only the Properties, and only for
// LZMA1.
type Coder struct {
	Properties
	DictSize int // maximum distance of a match
	Nice     int // a match of this length is used without trying alternatives
	Depth    int // maximum number of candidates tried for a match
}

// Preset returns the parameters of a level from 0 to 9. The dictionary size is that of liblzma.
func Preset(level int, extreme bool) Coder {
	level = min(max(level, 0), 9)
	c := Coder{Properties: Properties{LC: 3, PB: 2}, DictSize: 1 << [...]int{18, 20, 21, 22, 22, 23, 23, 24, 25, 26}[level]}
	c.Nice = [...]int{128, 128, 273, 273, 273, 273, 273, 273, 273, 273}[level]
	c.Depth = [...]int{4, 8, 24, 48, 64, 96, 128, 128, 128, 128}[level]
	if extreme {
		c.Nice, c.Depth = 273, 512
	}
	return c
}

// check returns the first error of a filter chain, or errors.ErrUnsupported for an unknown ID.
func check(chain []Filter, last FilterID) error {
	for i, f := range chain {
		switch f.ID {
		case LZMA1, LZMA2:
			if f.ID != last {
				return fmt.Errorf("the last filter must be %#x, not %#x", uint64(last), uint64(f.ID))
			}
			if i != len(chain)-1 {
				return fmt.Errorf("filter %#x must be the last of %d filters, has index %d", uint64(f.ID), len(chain), i)
			}
			if !f.Coder.valid() {
				return fmt.Errorf("invalid properties lc=%d, lp=%d, pb=%d", f.Coder.LC, f.Coder.LP, f.Coder.PB)
			}
			return nil
		case Delta:
			if f.Distance < 1 || f.Distance > 256 {
				return fmt.Errorf("distance of the delta filter must be 1 to 256, is %d", f.Distance)
			}
		case X86, PowerPC, IA64, ARM, ARMThumb, SPARC:
			if f.StartOffset%uint32(branches[f.ID].align) != 0 {
				return fmt.Errorf("start offset %[2]d of filter %#[1]x is not aligned", uint64(f.ID), f.StartOffset)
			}
		default:
			return fmt.Errorf("%w: filter %#x", errors.ErrUnsupported, uint64(f.ID))
		}
	}
	return errors.New("the last filter must be LZMA1 or LZMA2")
}

// apply applies a filter to b in place.
func (f Filter) apply(b []byte, encode bool) {
	switch {
	case f.ID == Delta && encode:
		for i := len(b) - 1; i >= f.Distance; i-- {
			b[i] -= b[i-f.Distance]
		}
	case f.ID == Delta:
		for i := f.Distance; i < len(b); i++ {
			b[i] += b[i-f.Distance]
		}
	default:
		if branch, ok := branches[f.ID]; ok {
			branch.run(b, f.StartOffset, encode)
		}
	}
}

// undo reverses all filters except the last on decoded bytes, in reverse order.
func undo(chain []Filter, b []byte) {
	for i := len(chain) - 2; i >= 0; i-- {
		chain[i].apply(b, false)
	}
}

// apply applies all filters except the last to a copy of b. If the chain has only one filter, apply
// returns b.
func apply(chain []Filter, b []byte) []byte {
	if len(chain) > 1 {
		b = append([]byte(nil), b...)
	}
	for i := range len(chain) - 1 {
		chain[i].apply(b, true)
	}
	return b
}

// properties returns the filter properties of a block header.
func (f Filter) properties() []byte {
	switch {
	case f.ID == LZMA2:
		return []byte{dictByte(f.Coder.DictSize)}
	case f.ID == Delta:
		return []byte{byte(f.Distance - 1)}
	case f.StartOffset != 0:
		return binary.LittleEndian.AppendUint32(nil, f.StartOffset)
	}
	return nil
}

// parseFilter parses the properties of a filter in a block header.
func parseFilter(id FilterID, b []byte) (Filter, error) {
	f := Filter{ID: id}
	switch {
	case id == LZMA2 && len(b) == 1 && b[0] <= 40:
		return f, nil // the dictionary size is not needed
	case id == Delta && len(b) == 1:
		f.Distance = int(b[0]) + 1
		return f, nil
	case id == LZMA2 || id == Delta:
		return f, fmt.Errorf("filter %#x has the invalid properties %x", uint64(id), b)
	case len(b) == 4:
		f.StartOffset = binary.LittleEndian.Uint32(b)
	case len(b) != 0:
		return f, fmt.Errorf("filter %#x has the invalid properties %x", uint64(id), b)
	}
	return f, nil
}

// dictByte returns the byte that encodes a dictionary size in a block header. The size is the
// smallest encodable size that is at least n. Encodable sizes are 2 or 3 times a power of two.
func dictByte(n int) byte {
	for b := range byte(40) {
		if uint64(2|b&1)<<(b/2+11) >= uint64(n) {
			return b
		}
	}
	return 40
}
