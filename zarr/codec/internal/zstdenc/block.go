package zstdenc

// How a block is stored.
const (
	blockRaw = iota
	blockRLE
	blockCoded
)

// block appends one block in the shortest of the three forms.
func (e *Encoder) block(dst, src []byte, seqs []seq, last bool) []byte {
	n := len(src)
	if n > 3 && same(src, 0, 1, n) == n-1 {
		dst = blockHeader(dst, blockRLE, n, last)
		return append(dst, src[0])
	}
	decoded, huff, huffOK := e.decoded, e.huff, e.huffOK
	fields := [...]*field{&e.litLengths, &e.offsets, &e.matchLengths}
	var latest [3]int
	var again [3]bool
	for i, f := range fields {
		latest[i], again[i] = f.latest, f.repeat
	}
	coded := e.coded(src, seqs)
	if len(coded) < n-2 {
		dst = blockHeader(dst, blockCoded, len(coded), last)
		return append(dst, coded...)
	}
	// The decoder does not see these tables and offsets.
	e.decoded, e.huff, e.huffOK = decoded, huff, huffOK
	for i, f := range fields {
		f.latest, f.repeat = latest[i], again[i]
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

// coded gives a block of literals and sequences, which is good until the next one.
func (e *Encoder) coded(src []byte, seqs []seq) []byte {
	e.text = grow(e.text, len(src))[:0]
	at := 0
	for _, s := range seqs {
		e.text = append(e.text, src[at:at+int(s.litLength)]...)
		at += int(s.litLength + s.n)
	}
	e.text = append(e.text, src[at:]...)
	// Codes of 11 bits, and sequences of 81 bits or less; the tables take less than 512 bytes each.
	e.room = grow(e.room, len(e.text)+len(e.text)/2+11*len(seqs)+2048)
	n := e.literals(e.room, e.text, len(src))
	n += e.sequences(e.room[n:], seqs)
	return e.room[:n]
}
