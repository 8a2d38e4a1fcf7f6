package lz4hc

// plan chooses the cheapest sequences for n positions. It leaves the chosen match length of each
// position in matches, 0 for a literal. A literal costs one byte, a match three and its length
// bytes. Length bytes of literals are ignored, which made no difference on any data. Matches beyond
// the n positions count as if they ended there.
func (e *Encoder) plan(n int) {
	matches, costs := e.matches[:n], e.costs[:n+1]
	costs[n] = 0
	for i := n - 1; i >= 0; i-- {
		best, take := costs[i+1]+1, 0
		if k := int(matches[i].n); k > 0 {
			cost := costs[min(i+k, n)] + 3
			if over := k - minMatch - nibble; over >= 0 {
				more := int32(over / 255) // variant with one length byte less
				short := k - 1 - over%255
				cost += more + 1
				if c := costs[min(i+short, n)] + 3 + more; c <= cost {
					cost, k = c, short
				}
			}
			if cost < best {
				best, take = cost, k
			}
			matches[i].n = uint16(take)
		}
		costs[i] = best
	}
}
