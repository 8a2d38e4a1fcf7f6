package pcodec

import (
	"math/bits"

	"github.com/zargo-io/zargo/zarr/fault"
)

// variable is a sequence of latents of a chunk: its bins, and its state in the page.
type variable struct {
	width  uint // bits of a latent
	bins   []bin
	nodes  []node
	log    uint  // base-2 logarithm of len(nodes)
	widest uint8 // maximum bits of an offset
	states [4]uint32
	delta  delta
}

// batchSize is the number of latents of a batch. Only the last batch of a page has fewer.
const batchSize = 256

// readBins reads the bins of a variable whose latents have width bits. work is the remaining
// number of states that the tables of the file may have.
func (v *variable) readBins(r *reader, width uint, work *int64) error {
	v.width, v.widest = width, 0
	v.log = uint(r.bits(4))
	count := int(r.bits(15))
	widthBits := uint(bits.Len(width))
	switch size := 1 << v.log; {
	case r.short:
		return r.check("bins of a chunk")
	case v.log > maxANSLog:
		return fault.Newf(fault.Corrupt, "pco tANS table of 2^%d states, more than 2^%d", v.log, maxANSLog)
	case count > size || count < 2 && size > 1:
		return fault.Newf(fault.Corrupt, "%d pco bins in a tANS table of %d states", count, size)
	case int64(count)*int64(v.log+width+widthBits) > r.left():
		return fault.Newf(fault.Corrupt, "the pco file ends in the %d bins of a chunk", count)
	}
	if *work -= 1 << v.log; *work < 0 {
		return fault.Newf(fault.Limit, "the pco file has too large tANS tables for its numbers")
	}
	v.bins = v.bins[:0]
	sum := uint32(0)
	for range count {
		b := bin{weight: uint32(r.bits(v.log)) + 1, lower: r.bits(width), width: uint8(r.bits(widthBits))}
		if uint(b.width) > width {
			return fault.Newf(fault.Corrupt, "pco offset of %d bits in a latent of %d", b.width, width)
		}
		sum += b.weight
		v.widest = max(v.widest, b.width)
		v.bins = append(v.bins, b)
	}
	if count > 0 && sum != 1<<v.log {
		return fault.Newf(fault.Corrupt, "the weights of pco bins add up to %d of %d states", sum, 1<<v.log)
	}
	v.nodes = table(v.nodes, v.bins, v.log)
	return nil
}

// readPage reads the state of a variable at the start of a page of n numbers.
func (v *variable) readPage(r *reader, n int) error {
	if err := v.delta.readPage(r, v.width, n); err != nil {
		return err
	}
	for i := range v.states {
		v.states[i] = uint32(r.bits(v.log))
	}
	return r.check("header of a page")
}

// read reads the latents of a batch, before the delta encoding is undone.
func (v *variable) read(r *reader, out []uint64) error {
	if len(out) == 0 {
		return nil
	}
	r.ensure()
	var widths [batchSize]uint8
	if len(v.bins) > 1 {
		v.symbols(r, out, &widths)
	} else {
		for i := range out {
			out[i] = v.nodes[0].lower
			widths[i] = v.nodes[0].width
		}
	}
	switch {
	case v.widest > 57:
		wideOffsets(r, out, &widths, maskOf(v.width))
	case v.widest > 0:
		offsets(r, out, &widths, maskOf(v.width))
	}
	return r.check("page of a chunk")
}

// batch holds latents of one variable.
type batch [batchSize]uint64
