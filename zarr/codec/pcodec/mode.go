package pcodec

import (
	"errors"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// mode is the mode of a chunk.
type mode struct {
	kind modeKind
	base uint64   // multiplier: an integer, or the latent of a float
	k    uint     // bits that floatQuant splits off
	dict []uint64 // latents of the numbers
}

// modeKind is the formula that computes the latents of numbers from the latents of one or two
// variables.
type modeKind uint8

const (
	classic modeKind = iota
	intMult
	floatMult
	floatQuant
	dict
)

// secondary reports whether the mode has a secondary variable.
func (m *mode) secondary() bool {
	return m.kind == intMult || m.kind == floatMult || m.kind == floatQuant
}

// primaryWidth returns the number of bits of primary latents.
func (m *mode) primaryWidth(n number) uint {
	if m.kind == dict {
		return 32 // an index
	}
	return n.width
}

// read reads the mode of a chunk. It reuses the memory of the dictionary.
func (m *mode) read(r *reader, h header, n number) error {
	v := r.bits(4)
	m.kind = modeKind(v)
	switch {
	case m.kind == intMult && h.major == 0:
		return fault.Newf(errors.ErrUnsupported, "mode 1 of pco version 0, which no later pco reads")
	case m.kind == intMult, m.kind == floatMult:
		m.base = r.bits(n.width)
	case m.kind == floatQuant:
		m.k = uint(r.bits(8))
	case m.kind == dict:
		if err := m.readDict(r, n); err != nil {
			return err
		}
	case m.kind != classic:
		return h.unknown("mode", v)
	}
	if err := r.check("mode of a chunk"); err != nil {
		return err
	}
	if !m.valid(n) {
		return fault.Newf(fault.Corrupt, "pco mode %d is not one of %s with those parameters", m.kind, n.name)
	}
	return nil
}

func (m *mode) readDict(r *reader, n number) error {
	entries := r.bits(25)
	if err := r.align("length of a dictionary"); err != nil {
		return err
	}
	if int64(entries)*int64(n.width) > r.left() {
		return fault.Newf(fault.Corrupt, "the pco dictionary has %d entries, %d bytes remain", entries, r.left()/8)
	}
	m.dict = m.dict[:0]
	for range entries {
		m.dict = append(m.dict, r.bits(n.width))
	}
	return nil
}

// valid reports whether the mode and its parameters fit the number type.
func (m *mode) valid(n number) bool {
	switch m.kind {
	case intMult:
		return n.kind != float && m.base > 0
	case floatMult:
		if n.kind != float {
			return false
		}
		base := value(unordered(m.base, n.width), n.width)
		return base != 0 && !math.IsInf(base, 0) && !math.IsNaN(base)
	case floatQuant:
		return n.kind == float && m.k > 0 && m.k <= precision(n.width)
	}
	return true
}

// join replaces primary latents by latents of numbers.
func (m *mode) join(n number, primary, secondary []uint64) error {
	mask := maskOf(n.width)
	switch m.kind {
	case intMult:
		for i, l := range primary {
			primary[i] = (l*m.base + secondary[i]) & mask
		}
	case floatMult:
		joinMult(n.width, m.base, primary, secondary)
	case floatQuant:
		low, negative := maskOf(m.k), middle(n.width)>>m.k
		for i, l := range primary {
			s := secondary[i]
			if l < negative {
				s = low - s
			}
			primary[i] = (l<<m.k + s) & mask
		}
	case dict:
		for i, l := range primary {
			if l >= uint64(len(m.dict)) {
				return fault.Newf(fault.Corrupt, "index %d in a pco dictionary of %d entries", l, len(m.dict))
			}
			primary[i] = m.dict[l]
		}
	}
	return nil
}
