package zstdenc

import "math/bits"

// Lengths and offsets are stored as a code and extra bits (RFC 8878, section 3.1.1.3.2.1).

const (
	minMatch    = 3
	litCodes    = 36
	lenCodes    = 53
	offsetCodes = 32
)

// litCode returns the literals length code of n and its number of extra bits.
func litCode(n uint32) (code, more uint8) {
	if n < 64 {
		code = shortLits[n]
		return code, litExtra[code]
	}
	more = uint8(bits.Len32(n) - 1)
	return more + 19, more
}

// lenCode returns the match length code of a match of n+3 bytes and its number of extra bits.
func lenCode(n uint32) (code, more uint8) {
	if n < 128 {
		code = shortLens[n]
		return code, lenExtra[code]
	}
	more = uint8(bits.Len32(n) - 1)
	return more + 36, more
}

// The numbers of extra bits of the literals length codes and of the match length codes.
var (
	litExtra = [litCodes]uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	lenExtra = [lenCodes]uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
)

// shortLits and shortLens hold the codes of small lengths. They are read-only.
var (
	shortLits = shorts[[64]uint8](litExtra[:])
	shortLens = shorts[[128]uint8](lenExtra[:])
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

// The distributions of the predefined tables (RFC 8878, section 3.1.1.3.2.2).
var (
	litDefaults    = []int16{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}
	lenDefaults    = []int16{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}
	offsetDefaults = []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}
)

// predefinedTable returns the FSE table of a distribution.
func predefinedTable(norm []int16, log uint8) *fse {
	t := &fse{log: log, n: len(norm)}
	copy(t.norm[:], norm)
	t.build()
	return t
}

// The predefined tables. They are read-only.
var (
	predefinedLits    = predefinedTable(litDefaults, 6)
	predefinedLens    = predefinedTable(lenDefaults, 6)
	predefinedOffsets = predefinedTable(offsetDefaults, 5)
)

// seq is a sequence: a number of literals and the match that follows them.
type seq struct{ litLength, n, offset uint32 }

// recent holds the three repeat offsets, the latest first.
type recent [3]uint32

// value returns the value that encodes an offset in a sequence. The values 1 to 3 mean repeat
// offsets, and other offsets are encoded as offset+3. Which repeat offsets 1 to 3 mean depends on
// whether literals precede the match (RFC 8878, section 3.1.1.5).
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

// push updates the repeat offsets after a sequence with the given offset and offset value.
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
