package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ParseFill reads a fill value. Sources: v3 core specification, "Fill value list"; v2 specification, "Fill value encoding".
func (b Basic) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	raw = bytes.TrimSpace(raw)
	info := b.info()
	switch info.class {
	case boolean:
		return parseBool(string(raw), format)
	case signed, unsigned:
		n, err := parseInteger(string(raw))
		if err != nil {
			return nil, err
		}
		return b.integer(n)
	case floating:
		return parseFloat(string(raw), info.unit)
	}
	var parts []json.RawMessage
	if format < 3 && !bytes.HasPrefix(raw, []byte("[")) {
		parts = []json.RawMessage{raw, json.RawMessage("0")} // a real number
	} else if parts = splitPair(raw); parts == nil {
		return nil, fault.Newf(fault.Metadata, "fill value %s of %v is not a list of two", abbreviate(raw), b)
	}
	re, err := parseFloat(strings.TrimSpace(string(parts[0])), info.unit)
	if err != nil {
		return nil, err
	}
	im, err := parseFloat(strings.TrimSpace(string(parts[1])), info.unit)
	return append(re, im...), err
}

// splitPair splits a list of two scalars, whose elements may be bare tokens that JSON does not know; nil if it is none.
func splitPair(raw []byte) []json.RawMessage {
	inner, ok := bytes.CutPrefix(raw, []byte("["))
	if !ok {
		return nil
	}
	if inner, ok = bytes.CutSuffix(inner, []byte("]")); !ok {
		return nil
	}
	re, im, ok := bytes.Cut(inner, []byte(","))
	if !ok || bytes.ContainsRune(im, ',') {
		return nil
	}
	return []json.RawMessage{re, im}
}

func parseBool(s string, format int) ([]byte, error) {
	switch {
	case s == "true", format < 3 && (s == "1" || s == "1.0"):
		return []byte{1}, nil
	case s == "false", format < 3 && (s == "0" || s == "0.0"):
		return []byte{0}, nil
	}
	return nil, fault.Newf(fault.Metadata, "fill value %s of bool is neither true nor false", abbreviate([]byte(s)))
}

// maxDigits bounds the length of a number that is looked at: nothing that fits an element is longer, except as hex.
const maxDigits = 1100

// parseInteger reads a JSON number without a fraction. 1.0 and 1e3 are integers, as zarr-python and TensorStore read
// them.
func parseInteger(s string) (*big.Int, error) {
	bad := func() error {
		return fault.Newf(fault.Metadata, "fill value %s is not an integer", abbreviate([]byte(s)))
	}
	if len(s) > maxDigits || !json.Valid([]byte(s)) || !strings.ContainsRune("-0123456789", rune(s[0])) {
		return nil, bad()
	}
	if n, ok := new(big.Int).SetString(s, 10); ok {
		return n, nil
	}
	// The value, and with it the exponent, is bounded before it is expanded.
	mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
	if strings.Trim(mantissa, "-0.") == "" {
		return new(big.Int), nil
	}
	if f, err := strconv.ParseFloat(s, 64); err != nil || math.Abs(f) < 0.5 || math.Abs(f) > 1<<65 {
		return nil, bad()
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || !r.IsInt() {
		return nil, bad()
	}
	return r.Num(), nil
}

// integer gives the memory form of n, if it is in range.
func (b Basic) integer(n *big.Int) ([]byte, error) {
	info := b.info()
	bits := uint(8 * info.size)
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), bits)
	if info.class == signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	if n.Cmp(lo) < 0 || n.Cmp(hi) >= 0 {
		return nil, fault.Newf(fault.Metadata, "fill value %s is out of the range of %v", abbreviate(n.Append(nil, 10)), b)
	}
	u := n.Uint64()
	if n.Sign() < 0 {
		u = uint64(n.Int64())
	}
	return putBits(u, info.size), nil
}

// putBits gives the low size bytes of u, little-endian.
func putBits(u uint64, size int) []byte {
	return binary.LittleEndian.AppendUint64(nil, u)[:size:size]
}

// getBits reads a little-endian number of len(b) bytes.
func getBits(b []byte) uint64 {
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:])
}

// parseFloat gives the memory form of a float of size bytes: a number, rounded to nearest even; "NaN", "Infinity" and
// "-Infinity", in quotes or bare; or the bits in hexadecimal, "0x7fc00001".
func parseFloat(s string, size int) ([]byte, error) {
	bad := func(why string) error {
		return fault.Newf(fault.Metadata, "fill value %s of float%d %s", abbreviate([]byte(s)), 8*size, why)
	}
	if s == "" {
		return nil, bad("is empty")
	}
	text := s
	if s[0] == '"' && json.Unmarshal([]byte(s), &text) != nil {
		return nil, bad("is not a string")
	}
	switch text {
	case "NaN":
		return putBits(nanBits(size), size), nil
	case "Infinity", "-Infinity":
		return putBits(fromFloat64(math.Inf(len("Infinity")-len(text)), size), size), nil
	}
	if s[0] == '"' {
		digits, ok := strings.CutPrefix(text, "0x")
		be, err := hex.DecodeString(digits)
		if !ok || err != nil || len(be) != size {
			return nil, bad("is neither a number, nor NaN, Infinity or -Infinity, nor 0x and its bits")
		}
		for i, j := 0, len(be)-1; i < j; i, j = i+1, j-1 {
			be[i], be[j] = be[j], be[i]
		}
		return be, nil
	}
	if len(s) > maxDigits || !json.Valid([]byte(s)) || !strings.ContainsRune("-0123456789", rune(s[0])) {
		return nil, bad("is not a number")
	}
	if size == 2 {
		return putBits(uint64(parseF16(s)), 2), nil
	}
	// A number beyond the range rounds to infinity: that is what nearest-even says.
	f, err := strconv.ParseFloat(s, 8*size)
	if err != nil && !math.IsInf(f, 0) {
		return nil, bad("is not a number")
	}
	if size == 4 {
		return putBits(uint64(math.Float32bits(float32(f))), 4), nil
	}
	return putBits(math.Float64bits(f), 8), nil
}

// nanBits is the NaN that "NaN" means: sign 0, the most significant bit of the mantissa set, all others 0.
func nanBits(size int) uint64 {
	return map[int]uint64{2: 0x7e00, 4: 0x7fc00000, 8: 0x7ff8000000000000}[size]
}

func fromFloat64(f float64, size int) uint64 {
	switch size {
	case 2:
		return uint64(F16From(float32(f)))
	case 4:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func toFloat64(bits uint64, size int) float64 {
	switch size {
	case 2:
		return float64(F16(bits).Float32())
	case 4:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// FormatFill writes a fill value. v2 has no spelling for the bits of a NaN: every NaN is "NaN" there, as zarr-python
// writes it.
func (b Basic) FormatFill(fill []byte, format int) (json.RawMessage, error) {
	info := b.info()
	if len(fill) != info.size {
		return nil, fault.Newf(fault.Metadata, "fill value of %d bytes for %v", len(fill), b)
	}
	bits := getBits(fill[:info.unit])
	switch info.class {
	case boolean:
		return json.RawMessage(strconv.FormatBool(bits != 0)), nil
	case signed:
		shift := 64 - 8*info.size
		return json.RawMessage(strconv.FormatInt(int64(bits<<shift)>>shift, 10)), nil
	case unsigned:
		return json.RawMessage(strconv.FormatUint(bits, 10)), nil
	case floating:
		return formatFloat(bits, info.unit, format), nil
	}
	re, im := formatFloat(bits, info.unit, format), formatFloat(getBits(fill[info.unit:]), info.unit, format)
	return json.RawMessage("[" + string(re) + "," + string(im) + "]"), nil
}

func formatFloat(bits uint64, size, format int) json.RawMessage {
	f := toFloat64(bits, size)
	switch {
	case math.IsNaN(f) && (format < 3 || bits == nanBits(size)):
		return json.RawMessage(`"NaN"`)
	case math.IsNaN(f):
		return json.RawMessage(`"0x` + strings.Repeat("0", 2*size-len(strconv.FormatUint(bits, 16))) + strconv.FormatUint(bits, 16) + `"`)
	case math.IsInf(f, 1):
		return json.RawMessage(`"Infinity"`)
	case math.IsInf(f, -1):
		return json.RawMessage(`"-Infinity"`)
	}
	width := 64
	if size < 8 {
		width = 32 // the shortest decimal of the float32 is exact for a float16 too
	}
	s := strconv.FormatFloat(f, 'g', -1, width)
	if !strings.ContainsAny(s, ".e") {
		s += ".0" // so that it reads as a float everywhere
	}
	return json.RawMessage(s)
}

// abbreviate keeps an error short whatever is stored.
func abbreviate(raw []byte) string {
	if len(raw) > 40 {
		return string(raw[:40]) + "…"
	}
	return string(raw)
}
