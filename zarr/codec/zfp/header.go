package zfp

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
)

// header is the start of a stream: a magic number, 52 bits of type and shape, and 12 or 64 bits of
// parameters.
type header struct {
	code  byte
	shape []int // the slowest axis first
	params
}

// version is the version of the format in headers.
const version = 5

// readHeader reads a header and moves r to the first block.
func readHeader(r *reader) (header, error) {
	var h header
	if r.end < 12*8 || string(r.src[:3]) != "zfp" {
		return h, fault.Newf(fault.Corrupt, "%d bytes are not a zfp stream with a header", r.end/8)
	}
	if v := r.src[3]; v != version {
		return h, fault.Newf(errors.ErrUnsupported, "zfp format of version %d, not %d", v, version)
	}
	r.pos = 32
	h.code = byte(r.read(2))
	rank := int(r.read(2)) + 1
	bits := uint(48 / rank)
	h.shape = make([]int, rank)
	for i := range h.shape {
		n := r.read(bits) + 1
		if n > 1<<31-1 {
			return h, fault.Newf(fault.Corrupt, "zfp header with an axis of %d", n)
		}
		h.shape[rank-1-i] = int(n)
	}
	h.params = readParams(r)
	if r.past() || !h.valid() {
		return h, fault.Newf(fault.Corrupt, "zfp header with bad parameters")
	}
	return h, nil
}

// readParams reads the parameters of a header. They are one number of 12 bits: the bits of a block
// in fixed-rate mode up to 2047, the precision up to 2175, 2176 for the reversible mode, and the
// exponent of the tolerance up to 4094. After 4095, all parameters follow in 52 bits.
func readParams(r *reader) params {
	const precision, exact, accuracy, all = 1 << 11, 1<<11 + 128, 1<<11 + 129, 1<<12 - 1
	switch mode := r.read(12); {
	case mode < precision:
		return fixedBits(mode + 1)
	case mode < exact:
		p := unlimited()
		p.maxprec = uint(mode-precision) + 1
		return p
	case mode == exact:
		return reversible()
	case mode < all:
		p := unlimited()
		p.minexp = leastExp + int(mode-accuracy)
		return p
	}
	var p params
	p.minbits = r.read(15) + 1
	p.maxbits = r.read(15) + 1
	p.maxprec = uint(r.read(7)) + 1
	p.minexp = int(r.read(15)) - 16495
	return p
}
