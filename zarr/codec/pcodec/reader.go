package pcodec

import (
	"encoding/binary"

	"github.com/zargo-io/zargo/zarr/fault"
)

// reader reads bits from stored bytes, least significant bit first.
type reader struct {
	buf      []byte // stored bytes, followed by zeros after pad
	pos, end int64  // bits read, and stored bits
	short    bool   // a read exceeded the stored bits
}

// margin is the number of bytes that reader.ensure makes readable. A batch has 14 bits of a state
// and 64 bits of an offset for each latent. The last load may read 9 bytes beyond the batch.
const margin = batchSize*(14+64)/8 + 16

func newReader(src []byte) reader { return reader{buf: src, end: 8 * int64(len(src))} }

// ensure makes margin bytes readable from the current position. Near the end of the stored bytes it
// copies the rest and appends zeros.
func (r *reader) ensure() {
	if at := r.pos >> 3; int64(len(r.buf))-at < margin {
		rest := r.buf[at:]
		r.buf = append(make([]byte, 0, len(rest)+margin), rest...)[:len(rest)+margin]
		r.end -= at << 3
		r.pos &= 7
	}
}

// bits reads n bits, at most 64. It returns 0 and sets short if fewer are stored.
func (r *reader) bits(n uint) uint64 {
	if int64(n) > r.end-r.pos {
		r.short = true
		return 0
	}
	r.ensure()
	v := r.peek(r.pos) & maskOf(n)
	r.pos += int64(n)
	return v
}

// peek returns the 64 bits at a position. The caller must call ensure first.
func (r *reader) peek(pos int64) uint64 {
	b, shift := r.buf[pos>>3:], uint(pos&7)
	return binary.LittleEndian.Uint64(b)>>shift | uint64(b[8])<<(64-shift)
}

// left returns the number of remaining stored bits.
func (r *reader) left() int64 { return r.end - r.pos }

// check returns an error if more bits were read than are stored.
func (r *reader) check(what string) error {
	if r.short || r.pos > r.end {
		return fault.Newf(fault.Corrupt, "the pco file ends in the %s", what)
	}
	return nil
}

// align moves to the next byte. The skipped bits must be 0.
func (r *reader) align(what string) error {
	if err := r.check(what); err != nil {
		return err
	}
	if r.bits(uint(-r.pos&7)) != 0 {
		return fault.Newf(fault.Corrupt, "the padding after the %s of a pco file is not zero", what)
	}
	return nil
}
