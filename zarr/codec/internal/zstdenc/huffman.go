package zstdenc

import (
	"encoding/binary"
	"slices"
)

// maxBits is the maximum length in bits of the Huffman code of a literal.
const maxBits = 11

// huffman is a Huffman table for literals (RFC 8878, section 4.2).
type huffman struct {
	lens  [256]uint8  // code length of each symbol; 0 if absent
	codes [256]uint32 // the code, with its length in the lowest byte
	last  int         // the largest symbol
	log   uint8       // the maximum code length
}

// build makes a nearly optimal code for symbols with the given counts. Code lengths are at most
// "limit" bits if the number of symbols permits. At least two of the counts must be positive.
func (h *huffman) build(counts *[256]uint32, limit uint8) {
	var sorted [256]uint32 // count and symbol, rarest first
	n := 0
	for s, c := range counts {
		if c > 0 {
			sorted[n] = c<<8 | uint32(s)
			n++
			h.last = s
		}
	}
	slices.Sort(sorted[:n])
	clear(h.lens[:])
	depths(h, sorted[:n])
	h.limit(sorted[:n], max(limit, uint8(highBit(uint32(n-1))+1)))
	h.number()
}

// depths builds the Huffman tree and sets the code lengths. It repeatedly joins the two nodes with
// the smallest counts. The joined nodes do not have to be sorted, because they are created in the
// order of their counts.
func depths(h *huffman, sorted []uint32) {
	n := len(sorted)
	var counts [256]uint32
	var parent [512]int16 // parents of leaves, then from index n on of nodes
	leaf, node, made := 0, 0, 0
	rarest := func() (int, uint32) {
		if leaf < n && (node == made || sorted[leaf]>>8 <= counts[node]) {
			leaf++
			return leaf - 1, sorted[leaf-1] >> 8
		}
		node++
		return n + node - 1, counts[node-1]
	}
	for made < n-1 {
		a, ca := rarest()
		b, cb := rarest()
		parent[a], parent[b] = int16(n+made), int16(n+made)
		counts[made] = ca + cb
		made++
	}
	var depth [512]uint8
	for i := n + made - 2; i >= 0; i-- {
		depth[i] = depth[parent[i]] + 1
	}
	for i, x := range sorted {
		h.lens[byte(x)] = depth[i]
	}
}

// limit changes the code lengths so that they are at most "limit". In a complete code the sum of
// 1<<(limit-length) over all symbols is 1<<limit. Shortening codes makes the sum too large, so the
// codes of the rarest other symbols are lengthened. If the sum is then too small, the codes of the
// most frequent symbols are shortened.
func (h *huffman) limit(sorted []uint32, limit uint8) {
	sum := -1 << limit
	for _, x := range sorted {
		l := &h.lens[byte(x)]
		*l = min(*l, limit)
		sum += 1 << (limit - *l)
	}
	for want := limit - 1; sum > 0; want-- { // codes near the limit lose least
		for _, x := range sorted {
			if l := &h.lens[byte(x)]; *l == want && sum > 0 {
				for ; *l < limit && sum > 0; *l++ {
					sum -= 1 << (limit - *l - 1)
				}
			}
		}
	}
	for sum < 0 {
		for i := len(sorted) - 1; i >= 0; i-- {
			if l := &h.lens[byte(sorted[i])]; 1<<(limit-*l) <= -sum {
				sum += 1 << (limit - *l)
				*l--
			}
		}
	}
}

// number assigns the codes: the longest codes first, in the order of the symbols.
func (h *huffman) number() {
	h.log = 0
	var n [maxBits + 2]uint32
	for _, l := range h.lens[:h.last+1] {
		n[l]++
		h.log = max(h.log, l)
	}
	var next [maxBits + 2]uint32
	code := uint32(0)
	for l := h.log; l > 0; l-- {
		next[l] = code
		code = (code + n[l]) >> 1
	}
	for s, l := range h.lens {
		h.codes[s] = 0
		if l > 0 {
			h.codes[s] = next[l]<<8 | uint32(l)
			next[l]++
		}
	}
}

// cost returns the number of bits of symbols with the given counts. ok reports whether each of
// these symbols has a code.
func (h *huffman) cost(counts *[256]uint32) (sum uint64, ok bool) {
	for s, c := range counts {
		if c > 0 {
			if h.lens[s] == 0 {
				return 0, false
			}
			sum += uint64(c) * uint64(h.lens[s])
		}
	}
	return sum, true
}

// describe writes the Huffman tree description and returns its length. The weights are FSE-coded or
// take four bits each. If neither form is possible, describe returns 0. out must have at least 160
// bytes.
func (h *huffman) describe(out []byte, t *fse) int {
	var weights [256]uint8
	var counts [maxBits + 2]uint32
	n := h.last
	kinds := 0
	for s, l := range h.lens[:n] {
		if l > 0 {
			weights[s] = h.log + 1 - l
		}
		if counts[weights[s]]++; counts[weights[s]] == 1 {
			kinds++
		}
	}
	size := 0
	if kinds > 1 && n > 2 {
		t.fit(counts[:], uint32(n), 6)
		t.build()
		w := bitWriter{out: out, at: 1}
		t.describe(&w)
		w = bitWriter{out: out, at: w.at}
		var states [2]uint32
		for i := n - 1; i >= 0; i-- {
			if i >= n-2 {
				states[i&1] = t.first(weights[i])
				continue
			}
			states[i&1] = t.put(&w, states[i&1], weights[i])
			w.flush()
		}
		t.close(&w, states[1])
		t.close(&w, states[0])
		size = w.end()
		out[0] = byte(size - 1)
	}
	if direct := 1 + (n+1)/2; n <= 128 && (size == 0 || size >= direct) {
		out[0] = byte(127 + n)
		for i := 0; i < n; i += 2 {
			out[1+i/2] = weights[i]<<4 | weights[i+1]
		}
		return direct
	}
	if size > 128 {
		return 0
	}
	return size
}

// stream writes the symbols of src, starting with the last, and returns the number of bytes.
func (h *huffman) stream(out, src []byte) int {
	w := bitWriter{out: out}
	i := len(src)
	for i >= 5 {
		s := src[i-5 : i : i]
		for k := 4; k >= 0; k-- {
			c := h.codes[s[k]]
			w.add(uint64(c>>8), uint(c&255))
		}
		w.flush()
		i -= 5
	}
	for ; i > 0; i-- {
		c := h.codes[src[i-1]]
		w.add(uint64(c>>8), uint(c&255))
	}
	w.flush()
	return w.end()
}

// streams writes src as a jump table and four streams, and returns the number of bytes.
func (h *huffman) streams(out, src []byte) int {
	part := (len(src) + 3) / 4
	at := 6
	for k := range 4 {
		s := src[min(k*part, len(src)):min((k+1)*part, len(src))]
		n := h.stream(out[at:], s)
		if k < 3 {
			binary.LittleEndian.PutUint16(out[2*k:], uint16(n))
		}
		at += n
	}
	return at
}
