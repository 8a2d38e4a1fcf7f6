package lzma

import (
	"errors"
	"math"
)

// decoder decodes LZMA symbols: literals, matches and rep matches.
type decoder struct {
	rangeDecoder
	model
}

var (
	errCut   = errors.New("unexpected end of the stream")
	errStart = errors.New("invalid start of the stream")
)

// endOfStream marks the end of a stream in the place of a distance minus one.
const endOfStream = 1<<32 - 1

// run decodes until the output has end bytes or, if end is -1, until the end marker. It returns an
// error for a match that extends beyond end. marked reports whether decoding stopped at an end
// marker.
func (d *decoder) run(o *output, end int) (marked bool, err error) {
	return d.runUntil(o, end, math.MaxInt)
}

// runUntil is run that also stops after the symbol with which the output has at least stop bytes.
func (d *decoder) runUntil(o *output, end, stop int) (marked bool, err error) {
	for o.n != end && o.n < stop {
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
			return false, errors.New("a match extends beyond the end")
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
		// After a match, the literal differs from the byte at distance rep0. The bits of that byte
		// select the probabilities, up to the first bit that differs.
		other := uint32(o.back(d.reps[0])) << 1
		same := uint32(0x100)
		for c < 0x100 && same != 0 {
			b := d.bit(&probs[same+other&same+c])
			c = c<<1 | b
			if other&same != b<<8 {
				same = 0
			}
			other <<= 1
		}
	}
	for c < 0x100 {
		c = c<<1 | d.bit(&probs[c])
	}
	d.state = afterLiteral(d.state)
	return o.put(byte(c))
}

// readRep reads a rep match. It moves the distance of the match to the front of reps, and returns
// the length.
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

// distance reads a distance minus one.
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

// decodeLZMA1 decodes one stream without a header and returns the bytes after it. size is the
// decoded size, or -1 if the stream has an end marker. A stream with a size may also have an end
// marker.
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
	if err := d.finish(o, marked); err != nil {
		return nil, err
	}
	return src[d.at:], nil
}

// finish checks the end of a stream, after its last byte or its end marker.
func (d *decoder) finish(o *output, marked bool) error {
	if !marked && d.code != 0 {
		// Decode one more symbol, which must be the end marker.
		n := o.n
		if _, err := d.run(o, -1); err != nil || o.n != n {
			return errors.New("symbols follow the end of the stream")
		}
	}
	if d.overread || d.code != 0 {
		return errCut
	}
	return nil
}
