package zstdenc

// Block types (RFC 8878, section 3.1.1.2.2).
const (
	blockRaw = iota
	blockRLE
	blockCompressed
)

// block appends one block of the type that encodes it in the fewest bytes.
func (e *Encoder) block(dst, src []byte, seqs []seq, last bool) []byte {
	n := len(src)
	if n > 3 && same(src, 0, 1, n) == n-1 {
		dst = blockHeader(dst, blockRLE, n, last)
		return append(dst, src[0])
	}
	decoded, huff, huffOK := e.decoded, e.huff, e.huffOK
	fields := [...]*field{&e.litLengths, &e.offsets, &e.matchLengths}
	var latest [3]int
	var repeat [3]bool
	for i, f := range fields {
		latest[i], repeat[i] = f.latest, f.repeat
	}
	coded := e.coded(src, seqs)
	if len(coded) < n-2 {
		dst = blockHeader(dst, blockCompressed, len(coded), last)
		return append(dst, coded...)
	}
	// A raw block leaves the decoder's tables and repeat offsets unchanged, so restore their state.
	e.decoded, e.huff, e.huffOK = decoded, huff, huffOK
	for i, f := range fields {
		f.latest, f.repeat = latest[i], repeat[i]
	}
	dst = blockHeader(dst, blockRaw, n, last)
	return append(dst, src...)
}

func blockHeader(dst []byte, how, n int, last bool) []byte {
	v := how<<1 | n<<3
	if last {
		v |= 1
	}
	return append(dst, byte(v), byte(v>>8), byte(v>>16))
}

// coded returns the block src in compressed form, without the block header. The result is valid
// until the next call.
func (e *Encoder) coded(src []byte, seqs []seq) []byte {
	e.lits = grow(e.lits, len(src))[:0]
	at := 0
	for _, s := range seqs {
		e.lits = append(e.lits, src[at:at+int(s.litLength)]...)
		at += int(s.litLength + s.n)
	}
	e.lits = append(e.lits, src[at:]...)
	// A literal takes at most 11 bits, a sequence at most 81 bits, and a table less than 512 bytes.
	e.buf = grow(e.buf, len(e.lits)+len(e.lits)/2+11*len(seqs)+2048)
	n := e.literals(e.buf, e.lits, len(src))
	n += e.sequences(e.buf[n:], seqs)
	return e.buf[:n]
}
