package lzma

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// FilterID is what liblzma and Python call a filter by.
type FilterID uint64

// The filters that Python knows.
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

// Filter is one of a chain. The last of a chain is LZMA1 or LZMA2, the others leave the length as
// it is.
type Filter struct {
	ID          FilterID
	Distance    int    // of Delta, 1 to 256
	StartOffset uint32 // of the branch filters: where the first byte is thought to be
	Coder       Coder  // of LZMA1 and LZMA2
}

// Coder configures the last filter. Only Properties matter for decoding, and only with LZMA1.
type Coder struct {
	Properties
	DictSize int // the largest distance of a match
	Nice     int // a match of this length is taken without looking further
	Depth    int // how many candidates are looked at for a match
}

// Preset is liblzma's: a size of the dictionary by level, and how much is tried.
func Preset(level int, extreme bool) Coder {
	level = min(max(level, 0), 9)
	c := Coder{Properties: Properties{LC: 3, PB: 2}, DictSize: 1 << [...]int{18, 20, 21, 22, 22, 23, 23, 24, 25, 26}[level]}
	c.Nice = [...]int{128, 128, 273, 273, 16, 32, 64, 64, 64, 64}[level]
	c.Depth = [...]int{4, 8, 24, 48, 24, 32, 48, 48, 48, 48}[level]
	if extreme {
		c.Nice, c.Depth = 273, 512
	}
	return c
}

// check tells what is wrong with a chain; ids that are not known are errors.ErrUnsupported.
func check(chain []Filter, last FilterID) error {
	for i, f := range chain {
		switch f.ID {
		case LZMA1, LZMA2:
			if f.ID != last || i != len(chain)-1 {
				return fmt.Errorf("filter %#x at place %d of %d", uint64(f.ID), i, len(chain))
			}
			if !f.Coder.valid() {
				return fmt.Errorf("lc %d, lp %d, pb %d", f.Coder.LC, f.Coder.LP, f.Coder.PB)
			}
			return nil
		case Delta:
			if f.Distance < 1 || f.Distance > 256 {
				return fmt.Errorf("a delta of %d bytes", f.Distance)
			}
		case X86, PowerPC, IA64, ARM, ARMThumb, SPARC:
			if f.StartOffset%uint32(branches[f.ID].align) != 0 {
				return fmt.Errorf("filter %#x that starts at %d", uint64(f.ID), f.StartOffset)
			}
		default:
			return fmt.Errorf("%w: filter %#x", errors.ErrUnsupported, uint64(f.ID))
		}
	}
	return errors.New("no LZMA at the end of the filters")
}

// apply runs a filter over the whole of b in place.
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

// undo runs all filters but the last over what has been decoded, the last of them first.
func undo(chain []Filter, b []byte) {
	for i := len(chain) - 2; i >= 0; i-- {
		chain[i].apply(b, false)
	}
}

// apply runs all filters but the last over a copy of b; without any it is b itself.
func apply(chain []Filter, b []byte) []byte {
	if len(chain) > 1 {
		b = append([]byte(nil), b...)
	}
	for i := range len(chain) - 1 {
		chain[i].apply(b, true)
	}
	return b
}

// properties is the form in a block's header.
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

// parseFilter reads what properties wrote.
func parseFilter(id FilterID, b []byte) (Filter, error) {
	f := Filter{ID: id}
	switch {
	case id == LZMA2 && len(b) == 1 && b[0] <= 40:
		return f, nil // how large the dictionary was is of no interest
	case id == Delta && len(b) == 1:
		f.Distance = int(b[0]) + 1
		return f, nil
	case id == LZMA2 || id == Delta:
		return f, fmt.Errorf("filter %#x with properties %x", uint64(id), b)
	case len(b) == 4:
		f.StartOffset = binary.LittleEndian.Uint32(b)
	case len(b) != 0:
		return f, fmt.Errorf("filter %#x with properties %x", uint64(id), b)
	}
	return f, nil
}

// dictByte is the least size of those that LZMA2 can say, 2 or 3 times a power of two, that holds
// n.
func dictByte(n int) byte {
	for b := range byte(40) {
		if uint64(2|b&1)<<(b/2+11) >= uint64(n) {
			return b
		}
	}
	return 40
}
