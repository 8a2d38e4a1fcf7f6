package zfp

import "math"

// params limit the bits of a block. Each mode of the format is a choice of these parameters, whose
// names are those of the expert mode.
type params struct {
	minbits, maxbits uint64 // of a block; a block of fewer than minbits is padded
	maxprec          uint   // bit planes of a block
	minexp           int    // exponent of the lowest plane of floats; reversible if below leastExp
}

const (
	// fieldBits is the number of bits before the coefficients of a block: at most 1, 1, 11 and 6.
	fieldBits = 19
	// mostBits is the number of bits of the longest block, with 256 numbers of 64 bits. Each
	// number but the last has at most one other bit.
	mostBits = fieldBits + 64*256 + 255
	mostPrec = 64
	leastExp = -1074 // of the smallest float64
)

// unlimited returns parameters without limits. Each mode changes some of them.
func unlimited() params { return params{1, mostBits, mostPrec, leastExp} }

// fixedBits returns the parameters of the mode fixed rate.
func fixedBits(bits uint64) params {
	p := unlimited()
	p.minbits, p.maxbits = bits, bits
	return p
}

// fixedPrecision returns the parameters of the mode fixed precision. 0 planes means all planes.
func fixedPrecision(planes uint) params {
	p := unlimited()
	if planes > 0 {
		p.maxprec = min(planes, mostPrec)
	}
	return p
}

// fixedAccuracy returns the parameters of the mode fixed accuracy. The tolerance is rounded down to
// a power of 2.
func fixedAccuracy(tolerance float64) params {
	p := unlimited()
	if tolerance > 0 {
		_, exp := math.Frexp(tolerance)
		p.minexp = exp - 1
	}
	return p
}

// reversible returns the parameters of the reversible mode.
func reversible() params {
	p := unlimited()
	p.minexp = leastExp - 1
	return p
}

func (p params) reversible() bool { return p.minexp < leastExp }

// valid reports whether the format has these parameters.
func (p params) valid() bool { return p.minbits <= p.maxbits && 0 < p.maxprec && p.maxprec <= mostPrec }

// depth returns the number of bit planes of a block of floats with the largest exponent emax.
func (p params) depth(emax, rank int) uint {
	return min(p.maxprec, uint(max(0, emax-p.minexp+2*(rank+1))))
}

// rateBits returns the bits of a block of values numbers for a rate in bits per number.
func rateBits(rate float64, values int, n number) uint64 {
	least := uint64(0)
	if n.float {
		least = 1 + uint64(n.ebits())
	}
	return max(least, uint64(math.Floor(rate*float64(values)+0.5)))
}
