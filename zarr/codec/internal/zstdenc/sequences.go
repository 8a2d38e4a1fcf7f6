package zstdenc

// Symbol compression modes (RFC 8878, section 3.1.1.3.2.1).
const (
	modePredefined = iota
	modeRLE
	modeFSE
	modeRepeat
)

// field holds the codes and FSE tables of one of the three values of sequences.
type field struct {
	predefined *fse
	most       uint8 // base-2 logarithm of the maximum table size
	tables     [2]fse
	latest     int      // index of the decoder's table in tables
	repeat     bool     // whether modeRepeat is possible
	counts     []uint32 // counts of the codes in the current block
	codes      []uint8  // codes of the current block's sequences
}

// choose selects the compression mode of the field, writes the description of the table if the mode
// has one, and returns the mode and the table.
func (f *field) choose(w *bitWriter) (how int, t *fse) {
	n := uint32(len(f.codes))
	last := f.codes[n-1] // its code takes no bits, because it sets the initial state
	top, symbol := uint32(0), 0
	for s, c := range f.counts {
		if c > top {
			top, symbol = c, s
		}
	}
	old := &f.tables[f.latest]
	if top == n && n > 2 {
		return modeRLE, f.single(w, symbol)
	}
	best := ^uint64(0)
	if c, ok := f.predefined.cost(f.counts); ok {
		how, t, best = modePredefined, f.predefined, c
	}
	if f.repeat {
		if c, ok := old.cost(f.counts); ok && c <= best {
			how, t, best = modeRepeat, old, c
		}
	}
	if top == n { // for one or two sequences the RLE byte is shorter than a table
		if t == nil || best > 8*bit {
			return modeRLE, f.single(w, symbol)
		}
	} else if t == nil || best > 5*8*bit {
		one := uint32(0)
		if f.counts[last] > 1 {
			one = 1
		}
		f.counts[last] -= one
		own := &f.tables[1-f.latest]
		own.fit(f.counts, n-one, f.most)
		f.counts[last] += one
		c, _ := own.cost(f.counts)
		at := *w
		own.describe(w)
		if c += uint64(w.at-at.at) * 8 * bit; t == nil || c < best {
			own.build()
			f.latest, f.repeat = 1-f.latest, true
			w.acc, w.n = 0, 0
			return modeFSE, own
		}
		*w = at
	}
	if how == modePredefined {
		f.repeat = false
	}
	return how, t
}

// single writes the description of a table with one symbol (modeRLE) and returns the table.
func (f *field) single(w *bitWriter, symbol int) *fse {
	f.latest, f.repeat = 1-f.latest, false
	t := &f.tables[f.latest]
	t.single(symbol)
	w.out[w.at] = byte(symbol)
	w.at++
	return t
}

// sequences writes the sequences section of a block to out, which must be large enough. It returns
// the length of the section.
func (e *Encoder) sequences(out []byte, seqs []seq) int {
	n := len(seqs)
	at := 0
	switch {
	case n < 128:
		out[0] = byte(n)
		at = 1
	case n < 0x7f00:
		out[0], out[1] = byte(n>>8+128), byte(n)
		at = 2
	default:
		out[0], out[1], out[2] = 255, byte(n-0x7f00), byte((n-0x7f00)>>8)
		at = 3
	}
	if n == 0 {
		return at
	}
	e.code(seqs)
	how := &out[at]
	w := bitWriter{out: out, at: at + 1}
	l, litTable := e.litLengths.choose(&w)
	o, offsetTable := e.offsets.choose(&w)
	m, matchTable := e.matchLengths.choose(&w)
	*how = byte(l<<6 | o<<4 | m<<2)

	w = bitWriter{out: out, at: w.at}
	i := n - 1
	lc, bc, mc := e.litLengths.codes, e.offsets.codes, e.matchLengths.codes
	sl, sb, sm := litTable.first(lc[i]), offsetTable.first(bc[i]), matchTable.first(mc[i])
	for ; ; i-- {
		s := seqs[i]
		w.add(uint64(s.litLength)&(1<<litExtra[lc[i]]-1), uint(litExtra[lc[i]]))
		w.flush()
		w.add(uint64(s.n-minMatch)&(1<<lenExtra[mc[i]]-1), uint(lenExtra[mc[i]]))
		w.add(uint64(e.values[i])&(1<<bc[i]-1), uint(bc[i]))
		w.flush()
		if i == 0 {
			break
		}
		sb = offsetTable.put(&w, sb, bc[i-1])
		sm = matchTable.put(&w, sm, mc[i-1])
		sl = litTable.put(&w, sl, lc[i-1])
	}
	matchTable.close(&w, sm)
	offsetTable.close(&w, sb)
	litTable.close(&w, sl)
	return w.end()
}

// code computes and counts the codes of all sequences. It encodes offsets with the repeat offsets
// that the decoder will have.
func (e *Encoder) code(seqs []seq) {
	e.litLengths.codes, e.offsets.codes, e.matchLengths.codes, e.values = e.litLengths.codes[:0], e.offsets.codes[:0], e.matchLengths.codes[:0], e.values[:0]
	clear(e.litLengths.counts)
	clear(e.offsets.counts)
	clear(e.matchLengths.counts)
	for _, s := range seqs {
		v := e.decoded.value(s.offset, s.litLength)
		e.decoded.push(s.offset, s.litLength, v)
		l, _ := litCode(s.litLength)
		m, _ := lenCode(s.n - minMatch)
		b := uint8(highBit(v))
		e.litLengths.counts[l]++
		e.matchLengths.counts[m]++
		e.offsets.counts[b]++
		e.litLengths.codes = append(e.litLengths.codes, l)
		e.matchLengths.codes = append(e.matchLengths.codes, m)
		e.offsets.codes = append(e.offsets.codes, b)
		e.values = append(e.values, v)
	}
}
