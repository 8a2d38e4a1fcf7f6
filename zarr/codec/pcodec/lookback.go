package pcodec

import (
	"math/bits"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ring holds the most recent latents. Latents before the first are 0.
type ring struct {
	latents []uint64 // the length is a power of two
	next    int      // number of latents since the start of the page
}

// reset fills the ring with the state of a page. It keeps at least size latents.
func (g *ring) reset(state []uint64, size int) {
	size = 1 << bits.Len(uint(size-1))
	if cap(g.latents) < size {
		g.latents = make([]uint64, size)
	}
	g.latents = g.latents[:size]
	clear(g.latents)
	g.next = 0
	for _, l := range state {
		g.latents[g.next&(size-1)] = l
		g.next++
	}
}

// undoLookback replaces differences by latents. A latent is output as many positions after its
// difference as the state has latents.
func (d *delta) undoLookback(out, distances []uint64, width uint) error {
	g, mask, mid := &d.ring, maskOf(width), middle(width)
	wrap := len(g.latents) - 1
	first := g.next - d.count
	for i, back := range distances {
		if back-1 >= uint64(d.window) {
			return fault.Newf(fault.Corrupt, "pco lookback of %d latents in a window of %d", back, d.window)
		}
		l := out[i] + mid
		if back <= uint64(g.next) {
			l += g.latents[(g.next-int(back))&wrap]
		}
		// Read the output first, because the new latent may overwrite it in the ring.
		d.history = append(d.history, g.latents[(first+i)&wrap])
		g.latents[g.next&wrap] = l & mask
		g.next++
	}
	n := copy(out, d.history)
	d.history = d.history[:0]
	for i := n; i < len(out); i++ {
		out[i] = g.latents[(first+i)&wrap]
	}
	return nil
}
