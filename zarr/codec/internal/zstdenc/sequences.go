package zstdenc

// How the table of a field is told to the decoder.
const (
	fieldKnown = iota
	fieldSingle
	fieldTable
	fieldAgain
)

// field is one of the three things that are coded of each sequence, and its tables.
type field struct {
	known  *fse
	most   uint8 // logarithm of the largest table
	tables [2]fse
	latest int      // which of them is the decoder's
	again  bool     // whether it may be used again
	counts []uint32 // of this block
	codes  []uint8  // of this block's sequences
}

// choose decides how the field is coded, writes what the decoder has to know, and gives the table.
func (f *field) choose(w *bitWriter) (how int, t *fse) {
	n := uint32(len(f.codes))
	last := f.codes[n-1] // its code takes no bits but is where the states begin
	top, symbol := uint32(0), 0
	for s, c := range f.counts {
		if c > top {
			top, symbol = c, s
		}
	}
	old := &f.tables[f.latest]
	if top == n && n > 2 {
		return fieldSingle, f.single(w, symbol)
	}
	best := ^uint64(0)
	if c, ok := f.known.cost(f.counts); ok {
		how, t, best = fieldKnown, f.known, c
	}
	if f.again {
		if c, ok := old.cost(f.counts); ok && c <= best {
			how, t, best = fieldAgain, old, c
		}
	}
	if top == n { // two sequences, or one: the byte is less than a table
		if t == nil || best > 8*bit {
			return fieldSingle, f.single(w, symbol)
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
			f.latest, f.again = 1-f.latest, true
			w.acc, w.n = 0, 0
			return fieldTable, own
		}
		*w = at
	}
	if how == fieldKnown {
		f.again = false
	}
	return how, t
}

// single writes the only symbol, and gives its table.
func (f *field) single(w *bitWriter, symbol int) *fse {
	f.latest, f.again = 1-f.latest, false
	t := &f.tables[f.latest]
	t.single(symbol)
	w.out[w.at] = byte(symbol)
	w.at++
	return t
}

// sequences writes the second section of a block to room that is long enough, and tells how long it is.
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
	l, lits := e.lits.choose(&w)
	o, backs := e.backs.choose(&w)
	m, lens := e.lens.choose(&w)
	*how = byte(l<<6 | o<<4 | m<<2)

	w = bitWriter{out: out, at: w.at}
	i := n - 1
	lc, bc, mc := e.lits.codes, e.backs.codes, e.lens.codes
	sl, sb, sm := lits.first(lc[i]), backs.first(bc[i]), lens.first(mc[i])
	for ; ; i-- {
		s := seqs[i]
		w.add(uint64(s.lits)&(1<<litMore[lc[i]]-1), uint(litMore[lc[i]]))
		w.flush()
		w.add(uint64(s.n-minMatch)&(1<<lenMore[mc[i]]-1), uint(lenMore[mc[i]]))
		w.add(uint64(e.values[i])&(1<<bc[i]-1), uint(bc[i]))
		w.flush()
		if i == 0 {
			break
		}
		sb = backs.put(&w, sb, bc[i-1])
		sm = lens.put(&w, sm, mc[i-1])
		sl = lits.put(&w, sl, lc[i-1])
	}
	lens.close(&w, sm)
	backs.close(&w, sb)
	lits.close(&w, sl)
	return w.end()
}

// code finds the codes of sequences, and counts them. Distances are compared with those that the decoder has.
func (e *Encoder) code(seqs []seq) {
	e.lits.codes, e.backs.codes, e.lens.codes, e.values = e.lits.codes[:0], e.backs.codes[:0], e.lens.codes[:0], e.values[:0]
	clear(e.lits.counts)
	clear(e.backs.counts)
	clear(e.lens.counts)
	for _, s := range seqs {
		v := e.told.value(s.back, s.lits)
		e.told.push(s.back, s.lits, v)
		l, _ := litCode(s.lits)
		m, _ := lenCode(s.n - minMatch)
		b := uint8(highBit(v))
		e.lits.counts[l]++
		e.lens.counts[m]++
		e.backs.counts[b]++
		e.lits.codes = append(e.lits.codes, l)
		e.lens.codes = append(e.lens.codes, m)
		e.backs.codes = append(e.backs.codes, b)
		e.values = append(e.values, v)
	}
}
