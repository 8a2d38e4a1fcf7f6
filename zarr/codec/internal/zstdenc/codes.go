package zstdenc

import "math/bits"

// Lengths and distances are stored as a code and more bits: RFC 8878, 3.1.1.3.2.1.

const (
	minMatch  = 3
	litCodes  = 36
	lenCodes  = 53
	backCodes = 32
)

// litCode is the code of a number of literals, and how many bits more it takes.
func litCode(n uint32) (code, more uint8) {
	if n < 64 {
		code = shortLits[n]
		return code, litMore[code]
	}
	more = uint8(bits.Len32(n) - 1)
	return more + 19, more
}

// lenCode is the code of the length of a match, less 3, and how many bits more it takes.
func lenCode(n uint32) (code, more uint8) {
	if n < 128 {
		code = shortLens[n]
		return code, lenMore[code]
	}
	more = uint8(bits.Len32(n) - 1)
	return more + 36, more
}

// How many bits more the codes take of which the text has a list.
var (
	litMore = [litCodes]uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	lenMore = [lenCodes]uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
)

// shortLits and shortLens are the codes of small numbers; they are not changed.
var (
	shortLits = shorts[[64]uint8](litMore[:])
	shortLens = shorts[[128]uint8](lenMore[:])
)

func shorts[T [64]uint8 | [128]uint8](more []uint8) (t T) {
	for code, i := 0, 0; i < len(t); code++ {
		for range 1 << more[code] {
			if i < len(t) {
				t[i] = uint8(code)
				i++
			}
		}
	}
	return t
}

// The shares of symbols that a decoder knows: RFC 8878, 3.1.1.3.2.2.
var (
	knownLits  = []int16{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}
	knownLens  = []int16{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}
	knownBacks = []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}
)

// known makes the table of such shares.
func known(norm []int16, log uint8) *fse {
	t := &fse{log: log, n: len(norm)}
	copy(t.norm[:], norm)
	t.build()
	return t
}

// The tables of them; they are not changed.
var (
	knownLitTable  = known(knownLits, 6)
	knownLenTable  = known(knownLens, 6)
	knownBackTable = known(knownBacks, 5)
)

// seq is some literals and the match behind them.
type seq struct{ litLength, n, offset uint32 }

// recent are the last three distances, the latest first. A distance among them takes few bits.
type recent [3]uint32

// value is what is stored for a distance: 1 to 3 for one of the last, which are others when there
// are no literals before the match.
func (r *recent) value(offset, litLength uint32) uint32 {
	if litLength > 0 {
		switch offset {
		case r[0]:
			return 1
		case r[1]:
			return 2
		case r[2]:
			return 3
		}
		return offset + 3
	}
	switch offset {
	case r[1]:
		return 1
	case r[2]:
		return 2
	case r[0] - 1:
		return 3
	}
	return offset + 3
}

// push makes a distance that is stored as a value the latest.
func (r *recent) push(offset, litLength, value uint32) {
	if litLength == 0 && value <= 3 {
		value++
	}
	switch value {
	case 1:
	case 2:
		r[0], r[1] = offset, r[0]
	default:
		r[0], r[1], r[2] = offset, r[0], r[1]
	}
}
