package pcodec

// difference replaces latents by differences of order len(moments), and returns the stored ones. It
// sets moments to the state that undoConsecutive starts with.
func difference(latents, moments []uint64, width uint) []uint64 {
	mask := maskOf(width)
	for i := range moments {
		moments[i] = latents[0]
		for k := len(latents) - 1; k > 0; k-- {
			latents[k] = (latents[k] - latents[k-1]) & mask
		}
		latents = latents[1:]
	}
	if len(moments) > 0 {
		mid := middle(width)
		for i := range latents {
			latents[i] = (latents[i] + mid) & mask // small differences become neighbours
		}
	}
	return latents
}

// A sample consists of groups of successive latents. It has one of sampleRatio latents.
const (
	sampleGroup = 200
	sampleRatio = 40
)

// chooseOrder returns the order of delta encoding for the latents of a chunk. It encodes a sample
// with increasing orders, and returns the last order that makes the sample smaller.
func (e *encoder) chooseOrder(width uint, level int) int {
	n := len(e.latents)
	groups := max(min(n/sampleGroup, 1+n/sampleRatio/sampleGroup), 1)
	group := min(n, sampleGroup)
	var least int64
	for order := range maxOrder + 1 {
		if order+1 >= group {
			return max(order-1, 0)
		}
		e.sample = e.sample[:0]
		for i := range groups {
			start := 0
			if groups > 1 {
				start = i * (n - group) / (groups - 1)
			}
			at := len(e.sample)
			e.sample = append(e.sample, e.latents[start:start+group]...)
			var moments [maxOrder]uint64
			rest := difference(e.sample[at:], moments[:order], width)
			e.sample = append(e.sample[:at], rest...)
		}
		_, _, cost := e.train(e.sample, width, levelFor(level, len(e.sample)))
		cost += int64(groups * order * int(width)) // the moments are part of the sample
		if order > 0 && cost >= least {
			return order - 1
		}
		least = cost
	}
	return maxOrder
}
