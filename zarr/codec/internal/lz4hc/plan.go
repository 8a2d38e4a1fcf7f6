package lz4hc

// plan takes the cheapest way through n places, from matches: the length that is taken at a place
// stays there, 0 is a literal. A byte is one byte, a match three and what its length needs. That
// many literals in a row have a length too is left out: it changed nothing on any data. Matches
// that end beyond the places are worth as much as if they ended with them.
func (e *Encoder) plan(n int) {
	matches, costs := e.matches[:n], e.costs[:n+1]
	costs[n] = 0
	for i := n - 1; i >= 0; i-- {
		best, take := costs[i+1]+1, 0
		if k := int(matches[i].n); k > 0 {
			cost := costs[min(i+k, n)] + 3
			if over := k - minMatch - nibble; over >= 0 {
				more := int32(over / 255) // one byte less than the length needs
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
