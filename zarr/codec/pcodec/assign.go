package pcodec

import "math/bits"

// assign finds the bins of latents and encodes them by tANS, last latent first. It returns the
// initial states of decoding.
func (e *encoder) assign(latents []uint64, bins []binOf, log uint) (states [4]uint32) {
	e.bins16 = sized(e.bins16, len(latents))
	if len(bins) == 1 {
		clear(e.bins16)
		return states
	}
	find(e.bins16, latents, bins)
	e.symbols, e.lengths = sized(e.symbols, len(latents)), sized(e.lengths, len(latents))
	size := uint32(1) << log
	t := encodingTable(bins, log)
	for i := range states {
		states[i] = size
	}
	for i := len(latents) - 1; i >= 0; i-- {
		b := &t.bins[e.bins16[i]]
		s := states[i%4]
		n := b.bits
		if s >= b.cutoff {
			n++
		}
		e.symbols[i], e.lengths[i] = uint16(s&(1<<n-1)), n
		states[i%4] = t.next[b.first+(s>>n)]
	}
	for i := range states {
		states[i] -= size
	}
	return states
}

// find sets out to the index of the last bin whose lower bound is not above the latent.
func find(out []uint16, latents []uint64, bins []binOf) {
	// The search requires a power of two. The added bounds are above all latents but the largest.
	n := 1 << bits.Len(uint(len(bins)-1))
	lowers := make([]uint64, n)
	for i := range lowers {
		if lowers[i] = ^uint64(0); i < len(bins) {
			lowers[i] = bins[i].lower
		}
	}
	for i, l := range latents {
		at := 0
		for step := n >> 1; step > 0; step >>= 1 {
			if lowers[at+step] <= l {
				at += step
			}
		}
		out[i] = uint16(min(at, len(bins)-1))
	}
}

// ansTable is a tANS table for encoding. States are from 2^log to 2^(log+1) - 1.
type ansTable struct {
	bins []ansBin
	next []uint32 // the states of each bin, in order
}

// ansBin is a bin of an ansTable.
type ansBin struct {
	bits   uint8  // bits to write, or one fewer
	cutoff uint32 // states from cutoff on write one bit more
	first  uint32 // index of its first state in next minus its weight, modulo 2^32
}

func encodingTable(bins []binOf, log uint) ansTable {
	t := ansTable{make([]ansBin, len(bins)), make([]uint32, 1<<log)}
	spreadBins := make([]bin, len(bins))
	at := uint32(0)
	for i, b := range bins {
		spreadBins[i].weight = b.weight
		n := uint8(int(log) + 1 - bits.Len32(2*b.weight-1))
		t.bins[i] = ansBin{bits: n, cutoff: 2 * b.weight << n, first: at - b.weight}
		at += b.weight
	}
	of := make([]uint16, 1<<log)
	spread(spreadBins, 1<<log, func(state uint32, b int) { of[state] = uint16(b) })
	used := make([]uint32, len(bins))
	for state, b := range of {
		t.next[t.bins[b].first+bins[b].weight+used[b]] = uint32(state) + 1<<log
		used[b]++
	}
	return t
}
