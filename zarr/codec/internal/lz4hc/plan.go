package lz4hc

// plan chooses the cheapest sequences for n positions. It stores the chosen match length of each
// position in matches, or 0 for a literal. A literal costs one byte, and a match costs three bytes
// plus its length bytes. Length bytes of literals are ignored, because including them did not
// change the result on any test data. A match that extends beyond the n positions has the price of
// a match that ends with them.
func (e *Encoder) plan(n int) {
	matches, costs := e.matches[:n], e.costs[:n+1]
	costs[n] = 0
	for i := n - 1; i >= 0; i-- {
		best, take := costs[i+1]+1, 0
		if k := int(matches[i].n); k > 0 {
			cost := costs[min(i+k, n)] + 3
			if over := k - minMatch - nibble; over >= 0 {
				more := int32(over / 255) // a variant with one length byte less
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
