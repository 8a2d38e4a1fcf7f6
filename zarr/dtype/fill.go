package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// ParseFill parses a fill value. Sources: v3 core specification, "Fill value list"; v2
// specification, "Fill value encoding".
func (b Basic) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	raw = bytes.TrimSpace(raw)
	info := b.info()
	if b == Float4E2M1FN && format < 3 && len(raw) > 0 && raw[0] == '"' && !bytes.HasPrefix(raw, []byte(`"0x`)) {
		fill, err := base64Fill(raw, 1) // TensorStore has only this form
		b.Canon(fill)
		return fill, err
	}
	switch info.class {
	case boolean:
		return parseBool(string(raw), format)
	case signed, unsigned:
		n, err := parseInteger(quotedInteger(string(raw)))
		if err != nil {
			return nil, err
		}
		return b.integer(n)
	case floating:
		return parseFloat(string(raw), b, format)
	}
	var parts []json.RawMessage
	if format < 3 && !bytes.HasPrefix(raw, []byte("[")) {
		parts = []json.RawMessage{raw, json.RawMessage("0")} // a real number
	} else if parts = splitPair(raw); parts == nil {
		return nil, fault.Newf(fault.Metadata, "fill value %s of %v is not a list of two numbers", abbreviate(raw), b)
	}
	re, err := parseFloat(strings.TrimSpace(string(parts[0])), b, format)
	if err != nil {
		return nil, err
	}
	im, err := parseFloat(strings.TrimSpace(string(parts[1])), b, format)
	return append(re, im...), err
}

// splitPair splits a list of two scalars, which may be bare tokens that are not JSON. It returns
// nil if raw is not such a list.
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
	case s == "true", s == "1", format < 3 && s == "1.0":
		return []byte{1}, nil
	case s == "false", s == "0", format < 3 && s == "0.0":
		return []byte{0}, nil
	}
	return nil, fault.Newf(fault.Metadata, "fill value %s of bool is neither true nor false", abbreviate([]byte(s)))
}

// maxDigits is the maximum length of a number that is parsed. Numbers that fit an element are
// shorter, except in hexadecimal.
const maxDigits = 1100

// quotedInteger removes the quotes from an integer: n5-zarr, Fiji and early versions of
// bioformats2raw write "0" in v2, and zarr-python reads such text in v3 too. It accepts only the
// digits of a JSON integer, and returns other text unchanged, with its quotes.
func quotedInteger(s string) string {
	inner, opened := strings.CutPrefix(s, `"`)
	inner, closed := strings.CutSuffix(inner, `"`)
	if opened && closed && json.Valid([]byte(inner)) && strings.Trim(inner, "-0123456789") == "" {
		return inner
	}
	return s
}

// parseInteger parses a JSON number without a fraction. It accepts 1.0 and 1e3, as do zarr-python
// and TensorStore.
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
	// Bound the value, and thereby the exponent, before expanding it.
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

// integer returns the memory form of n. It returns fault.Metadata if n is out of range.
func (b Basic) integer(n *big.Int) ([]byte, error) {
	info := b.info()
	bits := uint(info.bits)
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

// putBits returns the low size bytes of u in little-endian order.
func putBits(u uint64, size int) []byte {
	return binary.LittleEndian.AppendUint64(nil, u)[:size:size]
}

// getBits returns a little-endian number of len(b) bytes.
func getBits(b []byte) uint64 {
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:])
}

// parseFloat returns the memory form of a float. It accepts
//
//   - a number, which is rounded to nearest even,
//   - "NaN", "Infinity", "-Infinity", quoted or bare, if the type has them, and "+Infinity", which
//     zarr-python accepts,
//   - in v3 the bits in hexadecimal, "0x7fc00001", two digits for each byte; like zarr-python, it
//     converts the bits of another IEEE 754 type of 16, 32 or 64 bits,
//   - a number in quotes, as zarr-python does, except in complex numbers of v3,
//   - in v3 "nan", "inf" and so on in quotes, in any case, as Python does.
//
// In v2 it does not accept hexadecimal bits: no writer uses them, and TensorStore reads them as a
// number.
func parseFloat(s string, of Basic, version int) ([]byte, error) {
	m := of.info().float
	size := (m.bits + 7) / 8
	bad := func(why string) error {
		return fault.Newf(fault.Metadata, "fill value %s of %v %s", abbreviate([]byte(s)), of, why)
	}
	if s == "" {
		return nil, bad("is empty")
	}
	text := s
	if s[0] == '"' && json.Unmarshal([]byte(s), &text) != nil {
		return nil, bad("is not a string")
	}
	pythonic := version == 3 && of.info().class == floating // zarr-python reads such texts with float()
	if s[0] == '"' && pythonic {
		text = named(text)
	}
	switch text {
	case "NaN":
		nan, ok := m.nan()
		if !ok {
			return nil, bad("is not a number, and the type has no NaN")
		}
		return putBits(nan, size), nil
	case "Infinity", "-Infinity", "+Infinity":
		if text[0] == '+' && s[0] != '"' {
			return nil, bad("is not a number")
		}
		if m.special != ieee {
			return nil, bad("is not finite, and the type has no infinity")
		}
		sign := 1
		if text[0] == '-' {
			sign = -1
		}
		inf, _ := m.round(math.Inf(sign))
		return putBits(inf, size), nil
	}
	if s[0] == '"' && (version < 3 || pythonic && !strings.HasPrefix(text, "0x")) {
		s = text
	}
	if strings.HasPrefix(s, `"`) {
		digits, ok := strings.CutPrefix(text, "0x")
		be, err := hex.DecodeString(digits)
		if other, is := converted(be, m); ok && err == nil && len(be) != size && is {
			return putBits(other, size), nil
		}
		if !ok || err != nil || len(be) != size || m.bits < 8 && be[0]>>m.bits != 0 {
			return nil, bad("must be a number, NaN, Infinity, -Infinity, or 0x and its bits")
		}
		slices.Reverse(be)
		return be, nil
	}
	if s == "" || len(s) > maxDigits || strings.TrimSpace(s) != s || !json.Valid([]byte(s)) || !strings.ContainsRune("-0123456789", rune(s[0])) {
		return nil, bad("is not a number")
	}
	var bits uint64
	fits := true
	switch m {
	case binary32, binary64:
		f, err := strconv.ParseFloat(s, m.bits)
		if err != nil && !math.IsInf(f, 0) {
			return nil, bad("is not a number")
		}
		bits = math.Float64bits(f)
		if m == binary32 {
			bits = uint64(math.Float32bits(float32(f)))
		}
	default:
		bits, fits = m.round(toOdd(s))
	}
	// A number out of range rounds to infinity if the type has infinity.
	if !fits && m.special != ieee {
		return nil, bad("is out of range")
	}
	return putBits(bits, size), nil
}

// named returns the specified spelling of Python's names of NaN and the infinities. It returns
// other text unchanged.
func named(text string) string {
	sign := ""
	word := strings.ToLower(strings.TrimSpace(text))
	if word != "" && word[0] == '-' {
		sign, word = word[:1], word[1:]
	}
	switch word {
	case "nan":
		return "NaN"
	case "inf", "infinity":
		return sign + "Infinity"
	}
	return text
}

// converted converts the big-endian bits of an IEEE 754 number of 16, 32 or 64 bits to the type m,
// as zarr-python does. ok is false for other types. Only NaNs of 32 and 64 bits keep their payload.
func converted(be []byte, m format) (bits uint64, ok bool) {
	from, ok := map[int]format{2: binary16, 4: binary32, 8: binary64}[len(be)]
	if !ok || m != binary16 && m != binary32 && m != binary64 {
		return 0, false
	}
	var in uint64
	for _, b := range be {
		in = in<<8 | uint64(b)
	}
	if !from.isNaN(in) {
		f := from.value(in)
		switch m {
		case binary64:
			return math.Float64bits(f), true
		case binary32:
			return uint64(math.Float32bits(float32(f))), true
		}
		bits, _ = m.round(f)
		return bits, true
	}
	nan, _ := m.nan()
	sign := in >> (from.bits - 1) << (m.bits - 1)
	switch {
	case from == binary32 && m == binary64:
		nan |= in << 29 & (1<<52 - 1)
	case from == binary64 && m == binary32:
		nan |= in >> 29 & (1<<23 - 1)
	}
	return sign | nan, true
}

// FormatFill returns a fill value as JSON. In v2 every NaN is "NaN", as in zarr-python, because v2
// cannot represent the bits of a NaN.
func (b Basic) FormatFill(fill []byte, format int) (json.RawMessage, error) {
	info := b.info()
	if len(fill) != info.size {
		return nil, fault.Newf(fault.Metadata, "fill value of %v must have %d bytes, has %d", b, info.size, len(fill))
	}
	if b.Check(fill) != nil {
		return nil, fault.Newf(fault.Metadata, "fill value %x of %v is out of its range", fill, b)
	}
	if b == Float4E2M1FN && format < 3 {
		return quote64(fill), nil
	}
	bits := getBits(fill[:info.unit])
	switch info.class {
	case boolean:
		return json.RawMessage(strconv.FormatBool(bits != 0)), nil
	case signed:
		shift := 64 - info.bits
		return json.RawMessage(strconv.FormatInt(int64(bits<<shift)>>shift, 10)), nil
	case unsigned:
		return json.RawMessage(strconv.FormatUint(bits, 10)), nil
	case floating:
		return formatFloat(bits, info.float, format), nil
	}
	re, im := formatFloat(bits, info.float, format), formatFloat(getBits(fill[info.unit:]), info.float, format)
	return json.RawMessage("[" + string(re) + "," + string(im) + "]"), nil
}

func formatFloat(bits uint64, m format, version int) json.RawMessage {
	if m.isNaN(bits) {
		if nan, _ := m.nan(); version < 3 || bits == nan {
			return json.RawMessage(`"NaN"`)
		}
		return fmt.Appendf(nil, `"0x%0*x"`, 2*((m.bits+7)/8), bits)
	}
	f := m.value(bits)
	switch {
	case math.IsInf(f, 1):
		return json.RawMessage(`"Infinity"`)
	case math.IsInf(f, -1):
		return json.RawMessage(`"-Infinity"`)
	}
	width := 64
	if m != binary64 {
		width = 32 // the shortest decimal of the float32 is exact for smaller types too
	}
	s := strconv.FormatFloat(f, 'g', -1, width)
	if !strings.ContainsAny(s, ".e") {
		s += ".0" // so that all readers parse it as a float
	}
	return json.RawMessage(s)
}

// abbreviate returns stored text, shortened for use in an error.
func abbreviate(raw []byte) string {
	if len(raw) > 40 {
		return string(raw[:40]) + "…"
	}
	return string(raw)
}
