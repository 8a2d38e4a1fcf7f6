package lzma

import (
	"math"
	"math/bits"
)

// A price is the estimated size of an encoded symbol in units of 1/16 bit.

// bitPrices holds the price of a 0 bit, by the high bits of the probability of 0. It is read-only.
var bitPrices = func() (t [128]uint32) {
	for i := range t {
		t[i] = uint32(math.Round(-16 * math.Log2((float64(i)+0.5)/128)))
	}
	return t
}()

func bitPrice(p prob, b uint32) uint32 { return bitPrices[(uint32(p)^(-b&2047))>>4] }

func treePrice(probs []prob, v int) uint32 {
	price := uint32(0)
	for v += len(probs); v > 1; v >>= 1 {
		price += bitPrice(probs[v>>1], uint32(v&1))
	}
	return price
}

func reversePrice(probs []prob, v uint32, n int) uint32 {
	price, i := uint32(0), uint32(1)
	for range n {
		b := v & 1
		price += bitPrice(probs[i], b)
		i = i<<1 | b
		v >>= 1
	}
	return price
}

// prices holds the prices of lengths and distances. They are recomputed only from time to time,
// because the probabilities change slowly.
type prices struct {
	length, repeated [16][maxMatch + 1]uint32 // by position state and length
	slot             [4][64]uint32
	short            [4][128]uint32 // of distances below 128
	align            [16]uint32
}

func (t *prices) compute(m *model) {
	for ps := range 1 << m.PB {
		lengthPrices(&t.length[ps], &m.length, ps)
		lengthPrices(&t.repeated[ps], &m.repeated, ps)
	}
	for v := range uint32(len(t.align)) {
		t.align[v] = reversePrice(m.align[:], v, alignBits)
	}
	for state := range t.slot {
		for slot := range t.slot[state] {
			p := treePrice(m.slot[state][:], slot)
			if slot >= firstDirect {
				p += uint32(slot>>1-1-alignBits) * 16
			}
			t.slot[state][slot] = p
		}
		for d := range uint32(128) {
			slot := slotOf(d)
			p := t.slot[state][slot]
			if slot >= firstSpecial {
				n := slot>>1 - 1
				p += reversePrice(m.special[slot-firstSpecial][:], d-uint32(2|slot&1)<<n, n)
			}
			t.short[state][d] = p
		}
	}
}

func lengthPrices(to *[maxMatch + 1]uint32, m *lengthModel, posState int) {
	low, notLow := bitPrice(m.mid, 0), bitPrice(m.mid, 1)
	mid, high := notLow+bitPrice(m.high, 0), notLow+bitPrice(m.high, 1)
	for n := range 8 {
		to[minMatch+n] = low + treePrice(m.lows[posState][:], n)
		to[minMatch+8+n] = mid + treePrice(m.mids[posState][:], n)
	}
	for n := range 256 {
		to[minMatch+16+n] = high + treePrice(m.highs[:], n)
	}
}

// distance returns the price of a distance minus one.
func (t *prices) distance(d uint32, state int) uint32 {
	if d < 128 {
		return t.short[state][d]
	}
	return t.slot[state][slotOf(d)] + t.align[d&15]
}

// slotOf returns the slot of d, a distance minus one. The slot is twice the index of the highest
// bit, plus the value of the next lower bit.
func slotOf(d uint32) int {
	if d < firstSpecial {
		return int(d)
	}
	n := bits.Len32(d) - 1
	return n<<1 | int(d>>(n-1)&1)
}

// literalPrice returns the price of the literal c. If "matched" is set, c follows a match, and rep0
// is the byte at the most recent distance.
func literalPrice(probs []prob, c byte, matched bool, rep0 byte) uint32 {
	price := uint32(0)
	sym := uint32(c) | 0x100
	if !matched {
		for ; sym > 1; sym >>= 1 {
			price += bitPrice(probs[sym>>1], sym&1)
		}
		return price
	}
	m, same := uint32(rep0)<<1, uint32(0x100)
	at := uint32(1)
	for k := 7; k >= 0; k-- {
		b := sym >> k & 1
		price += bitPrice(probs[same+m&same+at], b)
		at = at<<1 | b
		if m&same != b<<8 {
			same = 0
		}
		m <<= 1
	}
	return price
}
