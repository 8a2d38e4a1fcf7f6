package zstdenc

import "math/bits"

// fse is a table for FSE coding (RFC 8878, section 4.1). A table has 1<<log states, which are
// distributed among the symbols. A symbol with n states takes about log-log2(n) bits.
type fse struct {
	log    uint8
	n      int       // number of symbols
	norm   [64]int16 // number of states of each symbol; -1 is one state, for a less-than-1 probability
	states [512]uint16
	step   [64]fseStep
}

// fseStep describes the state transition of a symbol. It determines the number of bits to write and
// the index of the next state in fse.states.
type fseStep struct {
	bits int32 // added to the state; the high half of the sum is the number of bits
	next int32
}

// build computes the fields "states" and "step" from the other fields.
func (t *fse) build() {
	size := 1 << t.log
	var at [65]int
	var symbols [512]uint8
	top := size - 1
	for s := range t.n {
		if t.norm[s] == -1 {
			at[s+1] = at[s] + 1
			symbols[top] = uint8(s)
			top--
		} else {
			at[s+1] = at[s] + int(t.norm[s])
		}
	}
	place, step := 0, size>>1+size>>3+3
	for s := range t.n {
		for range t.norm[s] {
			symbols[place] = uint8(s)
			for place = (place + step) & (size - 1); place > top; place = (place + step) & (size - 1) {
			}
		}
	}
	next := at
	for i := range size {
		s := symbols[i]
		t.states[next[s]] = uint16(size + i)
		next[s]++
	}
	for s := range t.n {
		switch n := int(t.norm[s]); n {
		case 0:
		case -1, 1:
			t.step[s] = fseStep{int32(t.log)<<16 - int32(size), int32(at[s] - 1)}
		default:
			most := int(t.log) - highBit(uint32(n-1))
			t.step[s] = fseStep{int32(most)<<16 - int32(n)<<most, int32(at[s] - n)}
		}
	}
}

// single makes a table with a single symbol, which takes no bits.
func (t *fse) single(symbol int) {
	t.log, t.n = 0, symbol+1
	clear(t.norm[:])
	t.norm[symbol] = 1
	t.states[0] = 0
	t.step[symbol] = fseStep{0, 0}
}

// first returns the first state of the encoder. The decoder decodes its last symbol in this state.
func (t *fse) first(symbol uint8) uint32 {
	s := t.step[symbol]
	n := uint32(s.bits+1<<15) >> 16
	return uint32(t.states[int32((n<<16-uint32(s.bits))>>n)+s.next])
}

// put encodes a symbol. Symbols are encoded in reverse order: put returns a state where the decoder
// decodes the symbol, and writes the bits that move the decoder from this state to the state
// argument.
func (t *fse) put(w *bitWriter, state uint32, symbol uint8) uint32 {
	s := t.step[symbol]
	n := uint(state+uint32(s.bits)) >> 16
	w.add(uint64(state)&(1<<n-1), n)
	return uint32(t.states[int32(state>>n)+s.next])
}

// close writes the initial state of the decoder.
func (t *fse) close(w *bitWriter, state uint32) {
	w.add(uint64(state)&(1<<t.log-1), uint(t.log))
}

// cost returns the cost of encoding symbols with the given counts. ok reports whether the table has
// all of these symbols.
func (t *fse) cost(counts []uint32) (sum uint64, ok bool) {
	for s, c := range counts {
		if c == 0 {
			continue
		}
		if s >= t.n || t.norm[s] == 0 {
			return 0, false
		}
		sum += uint64(c) * uint64(uint32(t.log)*bit-log2(uint32(max(t.norm[s], 1))))
	}
	return sum, true
}

// fit chooses a table size of at most 1<<most for symbols with the given counts, and distributes
// the states. n is the sum of the counts. At least two of the counts must be positive.
func (t *fse) fit(counts []uint32, n uint32, most uint8) {
	used := 0
	t.n = 0
	for s, c := range counts {
		if c > 0 {
			t.n = s + 1
			used++
		}
	}
	log := min(int(most), max(bits.Len32(n-1)-2, 0))
	log = max(log, 5, bits.Len(uint(used-1))+1)
	t.log = uint8(min(log, int(most)))
	t.share(counts, n)
}

// share distributes the states so that the total cost is small. Each symbol gets at least one
// state, and the numbers of states are about proportional to the counts.
func (t *fse) share(counts []uint32, n uint32) {
	size := uint64(1) << t.log
	rare := n >> t.log // if n is large, counts up to this get a less-than-1 probability
	left := int(size)
	clear(t.norm[:])
	for s, c := range counts[:t.n] {
		switch {
		case c == 0:
			continue
		case c <= rare && n >= 2048:
			t.norm[s] = -1
			left--
		default:
			k := max(1, (uint64(c)*size+uint64(n)/2)/uint64(n))
			t.norm[s] = int16(k)
			left -= int(k)
		}
	}
	for ; left > 0; left-- {
		t.change(counts, 1)
	}
	for ; left < 0; left++ {
		t.change(counts, -1)
	}
}

// change adds a state to the symbol that gains most if "by" is 1. It removes a state from the
// symbol that loses least if "by" is -1.
func (t *fse) change(counts []uint32, by int16) {
	best, gain := -1, int64(0)
	for s, c := range counts[:t.n] {
		k := t.norm[s]
		if k <= 0 || k+by <= 0 {
			continue
		}
		if g := int64(c) * (int64(log2(uint32(k+by))) - int64(log2(uint32(k)))); best < 0 || g > gain {
			best, gain = s, g
		}
	}
	if best >= 0 {
		t.norm[best] += by
		return
	}
	for s := range counts[:t.n] { // all are less-than-1 here; reached only if by = 1
		if t.norm[s] == -1 {
			t.norm[s] = 2
			return
		}
	}
}

// describe writes the FSE table description (RFC 8878, section 4.1.1).
func (t *fse) describe(w *bitWriter) {
	w.add(uint64(t.log-5), 4)
	left, size, n := 1<<t.log+1, 1<<t.log, uint(t.log)+1
	none := 0 // additional symbols of zero probability in this run
	after := false
	for s := 0; left > 1; s++ {
		k := int(t.norm[s])
		if after && k == 0 {
			none++
			continue
		}
		if after {
			for ; none >= 24; none -= 24 {
				w.add(1<<16-1, 16)
				w.flush()
			}
			for ; none >= 3; none -= 3 {
				w.add(3, 2)
			}
			w.add(uint64(none), 2)
			w.flush()
			none = 0
		}
		short := 2*size - 1 - left // smaller values take one bit less
		left -= max(k, -k)
		v := k + 1
		if v >= size {
			v += short
		}
		if v < short {
			w.add(uint64(v), n-1)
		} else {
			w.add(uint64(v), n)
		}
		w.flush()
		after = k == 0
		for left < size && size > 1 {
			size >>= 1
			n--
		}
	}
	w.pad()
}
