package zstdenc

// Types of the literals section (RFC 8878, section 3.1.1.3.1.1).
const (
	litRaw = iota
	litRLE
	litCompressed
	litTreeless // uses the Huffman table of an earlier block (Treeless_Literals_Block)
)

// oneStream is the maximum number of literals in a single stream. Four streams take 6 more bytes,
// but are decoded faster.
const oneStream = 255

// literals writes the literals section of a block to out, which must be large enough, and returns
// the length of the section. src has the literals. block is the uncompressed size of the block.
func (e *Encoder) literals(out, src []byte, block int) int {
	n := len(src)
	// If matches cover less than a sixteenth of the block, the block is probably incompressible.
	// Negative levels then store the literals uncompressed, for speed.
	if e.o.Level < 0 && 16*(block-n) < block {
		return rawLiterals(out, src)
	}
	counts := &e.counts
	histogram(counts, src)
	top := uint32(0)
	for _, c := range counts {
		top = max(top, c)
	}
	switch {
	case n < 6 && n != int(top) || n < 3:
		return rawLiterals(out, src)
	case n == int(top):
		k := literalsHeader(out, litRLE, n)
		out[k] = src[0]
		return k + 1
	}
	h := &e.huffs[1-e.huff]
	h.build(counts, maxBits)
	own, _ := h.cost(counts)
	var desc [512]byte
	described := h.describe(desc[:], &e.weights)
	ownSize := described + int(own+7)/8 + 1
	how, size := litCompressed, ownSize
	if described == 0 {
		how, size = litRaw, n
	}
	if e.huffOK {
		if old, ok := e.huffs[e.huff].cost(counts); ok && int(old+7)/8+1 <= size {
			how, size = litTreeless, int(old+7)/8+1
		}
	}
	// A saving of less than 1 % does not justify the decoding time.
	if size+7+n>>7 >= n {
		return rawLiterals(out, src)
	}
	at := 3
	four := n > oneStream && !(how == litTreeless && n < 1024)
	switch {
	case n >= 16<<10:
		at = 5
	case n >= 1<<10:
		at = 4
	}
	k := at
	if how == litCompressed {
		k += copy(out[k:], desc[:described])
		e.huff = 1 - e.huff
		e.huffOK = true
	}
	if four {
		k += e.huffs[e.huff].streams(out[k:], src)
	} else {
		k += e.huffs[e.huff].stream(out[k:], src)
	}
	codedHeader(out, how, n, k-at, at, four)
	return k
}

// codedHeader writes the header of a Huffman-coded section to out[:length]. The header contains n,
// the number of literals, and coded, the encoded size.
func codedHeader(out []byte, how, n, coded, length int, four bool) {
	var v uint64
	switch length {
	case 3:
		v = uint64(n)<<4 | uint64(coded)<<14
		if four {
			v |= 1 << 2
		}
	case 4:
		v = 2<<2 | uint64(n)<<4 | uint64(coded)<<18
	default:
		v = 3<<2 | uint64(n)<<4 | uint64(coded)<<22
	}
	v |= uint64(how)
	for i := range length {
		out[i] = byte(v >> (8 * i))
	}
}

// literalsHeader writes the header of a raw or RLE literals section and returns its length.
func literalsHeader(out []byte, how, n int) int {
	switch {
	case n < 32:
		out[0] = byte(how | n<<3)
		return 1
	case n < 4096:
		out[0], out[1] = byte(how|1<<2|n<<4), byte(n>>4)
		return 2
	}
	out[0], out[1], out[2] = byte(how|3<<2|n<<4), byte(n>>4), byte(n>>12)
	return 3
}

func rawLiterals(out, src []byte) int {
	k := literalsHeader(out, litRaw, len(src))
	return k + copy(out[k:], src)
}

// histogram counts the bytes of src. It uses four tables alternately, so that increments for equal
// adjacent bytes do not wait for each other.
func histogram(counts *[256]uint32, src []byte) {
	clear(counts[:])
	var b, c, d [256]uint32
	for len(src) >= 4 {
		counts[src[0]]++
		b[src[1]]++
		c[src[2]]++
		d[src[3]]++
		src = src[4:]
	}
	for _, x := range src {
		counts[x]++
	}
	for i := range counts {
		counts[i] += b[i] + c[i] + d[i]
	}
}
