package bzip2

import "slices"

// huffman returns the code lengths of a Huffman tree, without a limit. There must be at least two
// symbols. The function repeatedly joins the two trees of the least weight. It takes them from two
// queues: the leaves, sorted by weight, and the joined trees, in the order of creation.
func huffman(weights []int) []uint8 {
	n := len(weights)
	leaves := make([]int, n)
	for i := range leaves {
		leaves[i] = i
	}
	slices.SortStableFunc(leaves, func(a, b int) int { return weights[a] - weights[b] })
	weight := append(slices.Clone(weights), make([]int, n-1)...)
	parent := make([]int, 2*n-1)
	tree := n // the first tree without a parent
	for made := n; made < 2*n-1; made++ {
		for range 2 {
			var least int
			if len(leaves) > 0 && (tree == made || weight[leaves[0]] <= weight[tree]) {
				least, leaves = leaves[0], leaves[1:]
			} else {
				least, tree = tree, tree+1
			}
			parent[least] = made
			weight[made] += weight[least]
		}
	}
	depth := make([]uint8, 2*n-1)
	for i := 2*n - 3; i >= 0; i-- {
		depth[i] = depth[parent[i]] + 1
	}
	return depth[:n]
}

// lengths returns Huffman code lengths from 1 to maxLength for all symbols, including unused ones.
// If a code is too long, lengths makes the counts more equal and tries again.
func lengths(counts []int) []uint8 {
	weights := make([]int, len(counts))
	for i, n := range counts {
		weights[i] = max(n, 1)
	}
	for {
		code := huffman(weights)
		if slices.Max(code) <= maxLength {
			return code
		}
		for i := range weights {
			weights[i] = weights[i]/2 + 1
		}
	}
}

const (
	groupSize = 50 // symbols per selector
	maxLength = 17 // maximum code length, as in libbz2; decoders accept 20
)

// writeLengths writes the code lengths of a table. The first length is written as a number. Each
// symbol then has increments (bits 10) and decrements (bits 11) from the previous length, and a
// final 0.
func writeLengths(out *bits, code []uint8) {
	at := code[0]
	out.write(uint32(at), 5)
	for _, n := range code {
		for ; at < n; at++ {
			out.write(2, 2)
		}
		for ; at > n; at-- {
			out.write(3, 2)
		}
		out.write(0, 1)
	}
}

// canonical returns the canonical codes for the given lengths. Codes are numbered from the shortest
// to the longest.
func canonical(code []uint8) []uint32 {
	words := make([]uint32, len(code))
	next := uint32(0)
	for n := uint8(1); n <= maxLength; n++ {
		for s, l := range code {
			if l == n {
				words[s] = next
				next++
			}
		}
		next <<= 1
	}
	return words
}

// writeSymbols writes the selectors, the Huffman tables and the symbols. All symbols are less than
// size. writeSymbols refines up to six tables in several passes: every group selects the table that
// encodes it in the fewest bits, then every table is rebuilt from the groups that selected it.
func writeSymbols(out *bits, symbols []uint16, size int) {
	codes := startCodes(symbols, size)
	var selectors []uint8
	for range 4 { // as many passes as libbz2
		selectors = choose(selectors[:0], codes, symbols)
		counts := make([][]int, len(codes))
		for i := range counts {
			counts[i] = make([]int, size)
		}
		for g, s := range selectors {
			for _, sym := range group(symbols, g) {
				counts[s][sym]++
			}
		}
		for i := range codes {
			codes[i] = lengths(counts[i])
		}
	}
	out.write(uint32(len(codes)), 3)
	out.write(uint32(len(selectors)), 15)
	front := [6]uint8{0, 1, 2, 3, 4, 5}
	for _, s := range selectors {
		at := slices.Index(front[:], s)
		copy(front[1:at+1], front[:at])
		front[0] = s
		out.write(1<<at-1, uint(at)) // the index in unary: ones, then a zero
		out.write(0, 1)
	}
	words := make([][]uint32, len(codes))
	for i, code := range codes {
		writeLengths(out, code)
		words[i] = canonical(code)
	}
	for g, s := range selectors {
		code, word := codes[s], words[s]
		for _, sym := range group(symbols, g) {
			out.write(word[sym], uint(code[sym]))
		}
	}
}

// choose appends, for each group, the index of the table that encodes the group in the fewest bits.
func choose(selectors []uint8, codes [][]uint8, symbols []uint16) []uint8 {
	for g := 0; g*groupSize < len(symbols); g++ {
		best, least := 0, 1<<30
		for i, code := range codes {
			n := 0
			for _, s := range group(symbols, g) {
				n += int(code[s])
			}
			if n < least {
				best, least = i, n
			}
		}
		selectors = append(selectors, uint8(best))
	}
	return selectors
}

// startCodes returns the initial tables. It divides the symbols into ranges that occur about
// equally often. Each table has short codes for one range.
func startCodes(symbols []uint16, size int) [][]uint8 {
	n := 6
	for i, most := range [...]int{200, 600, 1200, 2400} { // libbz2's limits
		if len(symbols) < most {
			n = i + 2
			break
		}
	}
	counts := make([]int, size)
	for _, s := range symbols {
		counts[s]++
	}
	codes := make([][]uint8, n)
	left, from := len(symbols), 0
	for i := range codes {
		to, sum := from, 0
		for to < size && (sum < left/(n-i) || to == from) {
			sum += counts[to]
			to++
		}
		if i == n-1 {
			to = size
		}
		code := make([]uint8, size)
		for s := range code {
			if s < from || s >= to {
				code[s] = 15
			}
		}
		codes[i] = code
		left, from = left-sum, to
	}
	return codes
}

func group(symbols []uint16, g int) []uint16 {
	return symbols[g*groupSize : min((g+1)*groupSize, len(symbols))]
}
