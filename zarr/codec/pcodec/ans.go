package pcodec

import "math/bits"

// maxANSLog is the maximum base-2 logarithm of the size of a tANS table.
const maxANSLog = 14

// bin is a range of latents: lower plus an offset of a number of bits.
type bin struct {
	lower  uint64
	weight uint32 // number of states of the tANS table
	seen   uint32 // weight plus the number of states that table has visited
	width  uint8  // bits of an offset
}

// node is the entry of a tANS table for one state.
type node struct {
	lower uint64 // of the state's bin
	next  uint16 // base of the next state
	bits  uint8  // bits to read and add to next
	width uint8  // bits of an offset in the state's bin
}

// stride returns the distance between two successive states of a bin before they wrap around. It
// is odd, so that the states of a table of size 2^n are visited once.
func stride(size uint32) uint32 { return 3*size/5 | 1 }

// spread calls set with each state of a table of size states and the index of its bin. The weights
// of the bins add up to size.
func spread(bins []bin, size uint32, set func(state uint32, b int)) {
	step, state := stride(size), uint32(0)
	for i := range bins {
		for range bins[i].weight {
			set(state&(size-1), i)
			state += step
		}
	}
}

// table returns the decoding table of bins, in the memory of nodes. The weights of the bins add up
// to 2^log.
func table(nodes []node, bins []bin, log uint) []node {
	size := uint32(1) << log
	if uint32(cap(nodes)) < size {
		nodes = make([]node, size)
	}
	nodes = nodes[:size]
	if len(bins) == 0 {
		nodes[0] = node{} // latents of 0
		return nodes
	}
	spread(bins, size, func(state uint32, b int) { nodes[state].next = uint16(b) })
	for i := range bins {
		bins[i].seen = bins[i].weight
	}
	for i := range nodes {
		n := &nodes[i]
		b := &bins[n.next]
		n.bits = uint8(int(log) + 1 - bits.Len32(b.seen))
		n.next = uint16(b.seen<<n.bits - size)
		n.lower, n.width = b.lower, b.width
		b.seen++
	}
	return nodes
}
