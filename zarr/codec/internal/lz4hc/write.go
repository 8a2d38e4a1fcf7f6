package lz4hc

// writer writes a block to out, up to the capacity of out.
type writer struct{ out []byte }

// sequence writes a sequence of literals and a match of n bytes. It returns false if the sequence
// may not fit.
func (w *writer) sequence(literals []byte, n, back int) bool {
	n -= minMatch
	if cap(w.out)-len(w.out)-len(literals) < 5+len(literals)/255+n/255 {
		return false
	}
	w.out = append(w.out, byte(min(len(literals), nibble)<<4|min(n, nibble)))
	w.length(len(literals))
	w.out = append(w.out, literals...)
	w.out = append(w.out, byte(back), byte(back>>8))
	w.length(n)
	return true
}

// literals writes the last sequence, which has only literals. It returns false if the sequence may
// not fit.
func (w *writer) literals(b []byte) bool {
	if cap(w.out)-len(w.out)-len(b) < 2+len(b)/255 {
		return false
	}
	w.out = append(w.out, byte(min(len(b), nibble)<<4))
	w.length(len(b))
	w.out = append(w.out, b...)
	return true
}

// length writes the additional length bytes of a literal or match length.
func (w *writer) length(n int) {
	if n < nibble {
		return
	}
	for n -= nibble; n >= 255; n -= 255 {
		w.out = append(w.out, 255)
	}
	w.out = append(w.out, byte(n))
}
