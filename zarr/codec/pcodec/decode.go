package pcodec

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// decode appends the numbers of a standalone file to dst, at most limit bytes.
func (d *decoder) decode(dst, src []byte, n number, limit int) ([]byte, error) {
	r := newReader(src)
	h, err := readHeader(&r)
	if err != nil {
		return dst, err
	}
	if h.uniform != 0 && h.uniform != n.code {
		return dst, wrongType(h.uniform, n)
	}
	work := int64(fixedStates)
	for {
		code := byte(r.bits(8))
		if err := r.check("list of chunks"); err != nil {
			return dst, err
		}
		if code == 0 {
			break
		}
		if code != n.code {
			return dst, wrongType(code, n)
		}
		count := int64(r.bits(24)) + 1
		size := count * int64(n.size())
		if size > int64(limit) {
			return dst, fault.Newf(fault.Corrupt, "a pco chunk decodes to %d bytes, want at most %d", size, limit)
		}
		limit -= int(size)
		work += count * statesPerNumber
		d.chunk.number = n
		if err := d.chunk.readMeta(&r, h, &work); err != nil {
			return dst, err
		}
		start := len(dst)
		dst = slices.Grow(dst, int(size))[:start+int(size)]
		if err := d.chunk.readPage(&r, dst[start:]); err != nil {
			return dst, err
		}
	}
	if left := r.left() / 8; left > 0 {
		return dst, fault.Newf(fault.Corrupt, "%d bytes after the end of the pco file", left)
	}
	return dst, nil
}

// decoder has the memory for the decoding of a file.
type decoder struct {
	chunk chunk
}

// Bounds of the number of states of all tANS tables of a file: a fixed number and a number for each
// decoded number. pco makes at most two states for each number or bin of a chunk.
const (
	fixedStates     = 1 << 17
	statesPerNumber = 64
)

func wrongType(code byte, n number) error {
	return fault.Newf(fault.Corrupt, "the pco file has numbers of %s (type %d), want %s", numberName(code), code, n.name)
}

// maxKept is the maximum number of latents in a buffer that a decoder keeps for the next file.
const maxKept = 1 << 16

// trim drops buffers of more than maxKept latents.
func (d *decoder) trim() {
	c := &d.chunk
	for _, b := range []*[]uint64{&c.mode.dict, &c.primary.delta.ring.latents, &c.secondary.delta.ring.latents} {
		if cap(*b) > maxKept {
			*b = nil
		}
	}
}
