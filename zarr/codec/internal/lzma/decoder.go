package lzma

import "errors"

var (
	errCut   = errors.New("ends before its end")
	errStart = errors.New("does not begin as such a stream does")
)

// decoder reads LZMA: literals, matches with a distance, and matches with one of the last four
// distances.
type decoder struct {
	rangeDecoder
	model
}

// endOfStream is the distance, less one, that marks the end.
const endOfStream = 1<<32 - 1

// run decodes up to end of the output, or, where that is -1, up to the mark. A match that would
// pass end is an error.
func (d *decoder) run(o *output, end int) (marked bool, err error) {
	for o.n != end {
		if d.overread {
			return false, errCut
		}
		pos := o.n - o.start
		posState := pos & (1<<d.PB - 1)
		if d.bit(&d.match[d.state][posState]) == 0 {
			if err := d.readLiteral(o, pos); err != nil {
				return false, err
			}
			continue
		}
		var n int
		if d.bit(&d.rep[d.state]) == 0 {
			n = d.rangeDecoder.length(&d.model.length, posState)
			dist := d.distance(lengthState(n))
			if dist == endOfStream {
				return true, nil
			}
			d.reps = [4]uint32{dist, d.reps[0], d.reps[1], d.reps[2]}
			d.state = afterMatch(d.state)
		} else if n = d.readRep(posState); n == 1 {
			d.state = afterShort(d.state)
		} else {
			d.state = afterRep(d.state)
		}
		if end >= 0 && n > end-o.n {
			return false, errors.New("a match beyond the end")
		}
		if err := o.repeat(d.reps[0], n); err != nil {
			return false, err
		}
	}
	if d.overread {
		return false, errCut
	}
	return false, nil
}

func (d *decoder) readLiteral(o *output, pos int) error {
	probs := d.literalProbs(pos, o.back(0))
	c := uint32(1)
	if d.state >= literals {
		// After a match the byte that it did not match is told, as long as bits are the same.
		not := uint32(o.back(d.reps[0])) << 1
		same := uint32(0x100)
		for c < 0x100 && same != 0 {
			b := d.bit(&probs[same+not&same+c])
			c = c<<1 | b
			if not&same != b<<8 {
				same = 0
			}
			not <<= 1
		}
	}
	for c < 0x100 {
		c = c<<1 | d.bit(&probs[c])
	}
	d.state = afterLiteral(d.state)
	return o.put(byte(c))
}

// readRep reads which of the last distances it is, which becomes the first, and the length.
func (d *decoder) readRep(posState int) int {
	switch {
	case d.bit(&d.repNot0[d.state]) == 0:
		if d.bit(&d.repLong[d.state][posState]) == 0 {
			return 1
		}
	case d.bit(&d.repNot1[d.state]) == 0:
		d.reps[0], d.reps[1] = d.reps[1], d.reps[0]
	case d.bit(&d.repNot2[d.state]) == 0:
		d.reps[0], d.reps[1], d.reps[2] = d.reps[2], d.reps[0], d.reps[1]
	default:
		d.reps[0], d.reps[1], d.reps[2], d.reps[3] = d.reps[3], d.reps[0], d.reps[1], d.reps[2]
	}
	return d.rangeDecoder.length(&d.repeated, posState)
}

// distance reads a distance less one.
func (d *decoder) distance(state int) uint32 {
	slot := d.tree(d.slot[state][:])
	if slot < firstSpecial {
		return uint32(slot)
	}
	n := slot>>1 - 1
	base := uint32(2|slot&1) << n
	if slot < firstDirect {
		return base + d.reverse(d.special[slot-firstSpecial][:], n)
	}
	return base + d.direct(n-alignBits)<<alignBits + d.reverse(d.align[:], alignBits)
}

// decodeLZMA1 reads one stream without a header. size is the bytes that it holds, or -1 when a mark
// ends it; a mark may also stand where the size says the end is. It gives what is behind.
func decodeLZMA1(o *output, src []byte, p Properties, size int64) ([]byte, error) {
	d := &o.coder
	d.reset(p)
	if !d.start(src) {
		return nil, errStart
	}
	end := -1
	if size >= 0 {
		if size > int64(o.most-o.n) {
			return nil, errLimit
		}
		end = o.n + int(size)
	}
	marked, err := d.run(o, end)
	if err != nil {
		return nil, err
	}
	if !marked && d.code != 0 {
		// One symbol more, which has to be the mark.
		n := o.n
		if _, err = d.run(o, -1); err != nil || o.n != n {
			return nil, errors.New("goes on behind its end")
		}
	}
	if d.overread || d.code != 0 {
		return nil, errCut
	}
	return src[d.at:], nil
}
