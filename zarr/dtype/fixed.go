package dtype

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// MaxSize is the most bytes that one element may have. It bounds what a hostile document can make a
// reader allocate; the largest elements seen in files have some thousand.
const MaxSize = 64 << 20

// S is numpy's "S": text of at most so many bytes, in no particular encoding, padded with NULs. v3
// names it null_terminated_bytes. The Go form is an array of bytes; see [Text] for a string.
type S int

// U is numpy's "U": text of at most so many code points, in UTF-32, padded with NULs. v3 names it
// fixed_length_utf32. The Go form is an array of runes; see [Runes] for a string.
type U int

// V is numpy's "V": so many bytes that mean nothing here. v3 has it as raw_bytes.
type V int

// R is the v3 core type "r*": so many bytes, where the name counts bits. v2 spells it as V.
type R int

// Text is what an S holds without its padding.
func Text(b []byte) string { return strings.TrimRight(string(b), "\x00") }

// Runes is what a U holds without its padding. Code points that Unicode does not have become
// U+FFFD.
func Runes(r []rune) string {
	for len(r) > 0 && r[len(r)-1] == 0 {
		r = r[:len(r)-1]
	}
	return string(r)
}

// utf32 is the text of a U in memory form; not ok when it holds what is no code point.
func utf32(b []byte) (text string, ok bool) {
	r := make([]rune, len(b)/4)
	ok = true
	for i := range r {
		r[i] = rune(binary.LittleEndian.Uint32(b[4*i:]))
		ok = ok && utf8.ValidRune(r[i])
	}
	return Runes(r), ok
}

// sized checks an element's size in bytes.
func sized(t Type, size int) error {
	switch {
	case size < 1:
		return fault.Newf(fault.Metadata, "%v: an element has no bytes", t)
	case size > MaxSize:
		return fault.Newf(fault.Limit, "%v: an element has more than %d bytes", t, MaxSize)
	}
	return nil
}

// parseLength reads the decimal length of a typestring or of a name; what cannot be counted is more
// than MaxSize.
func parseLength(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n > MaxSize {
		return MaxSize + 1
	}
	return n
}

// parseLengthBytes reads the configuration {"length_bytes": n}.
func parseLengthBytes(config json.RawMessage, each int) (int, error) {
	var c struct {
		Length json.RawMessage `json:"length_bytes"`
	}
	if err := strictConfig(config, &c, "length_bytes"); err != nil {
		return 0, err
	}
	if c.Length == nil {
		return 0, fault.Newf(fault.Metadata, `the type needs "length_bytes"`)
	}
	n, err := parseInteger(string(c.Length))
	if err != nil || n.Sign() < 1 {
		return 0, fault.Newf(fault.Metadata, "length_bytes %.40s is no positive integer", c.Length)
	}
	if !n.IsInt64() || n.Int64() > MaxSize {
		return MaxSize + 1, nil
	}
	if n.Int64()%int64(each) != 0 {
		return 0, fault.Newf(fault.Metadata, "length_bytes %.40s is no multiple of %d", c.Length, each)
	}
	return int(n.Int64()) / each, nil
}

// base64Fill decodes a fill value of n bytes; a shorter one is padded with NULs.
func base64Fill(raw json.RawMessage, n int) ([]byte, error) {
	s, err := unquote(raw)
	if err != nil {
		return nil, err
	}
	if len(s) > base64.StdEncoding.EncodedLen(n) {
		return nil, fault.Newf(fault.Metadata, "fill value %s has more than %d bytes", abbreviate(raw), n)
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, fault.Newf(fault.Metadata, "fill value %s is not base64: %v", abbreviate(raw), err)
	}
	if len(b) > n {
		return nil, fault.Newf(fault.Metadata, "fill value %s has %d bytes, more than %d", abbreviate(raw), len(b), n)
	}
	return append(b, make([]byte, n-len(b))...), nil
}

func quote64(b []byte) json.RawMessage {
	return json.RawMessage(`"` + base64.StdEncoding.EncodeToString(b) + `"`)
}

// isZero tells whether a fill value is the number 0, which old writers left for empty text.
func isZero(raw json.RawMessage, format int) bool {
	s := strings.TrimSpace(string(raw))
	return format < 3 && (s == "0" || s == "0.0")
}

// arrayOf tells whether t is an array of n elements of a kind.
func arrayOf(t reflect.Type, n int, kind reflect.Kind) bool {
	return t.Kind() == reflect.Array && t.Len() == n && t.Elem().Kind() == kind && !isBits(t.Elem())
}

func wantFill(t Type, fill []byte) error {
	if len(fill) != t.Size() {
		return fault.Newf(fault.Metadata, "fill value of %d bytes for %v", len(fill), t)
	}
	return nil
}

func byteArray(n int) reflect.Type { return reflect.ArrayOf(n, reflect.TypeFor[byte]()) }

// String is the typestring, "S5".
func (t S) String() string { return "S" + strconv.Itoa(int(t)) }

// Size is the number of bytes.
func (t S) Size() int { return int(t) }

// Go is [n]byte.
func (t S) Go() reflect.Type { return byteArray(int(t)) }

// Fits takes arrays of as many bytes.
func (t S) Fits(g reflect.Type) bool { return arrayOf(g, int(t), reflect.Uint8) }

// HasOrder is false.
func (S) HasOrder() bool { return false }

// Swap does nothing.
func (S) Swap([]byte) {}

// Canon does nothing.
func (S) Canon([]byte) {}

// DefaultFill is the empty text.
func (t S) DefaultFill() []byte { return make([]byte, t) }

// ParseFill reads base64, padded with NULs if it is short; 0 in v2 is the empty text.
func (t S) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	if isZero(raw, format) {
		return t.DefaultFill(), nil
	}
	return base64Fill(raw, int(t))
}

// FormatFill writes base64: in v2 of all bytes, which TensorStore insists on; in v3 without the
// padding, as zarr-python does.
func (t S) FormatFill(fill []byte, format int) (json.RawMessage, error) {
	if format < 3 {
		return quote64(fill), wantFill(t, fill)
	}
	return quote64([]byte(Text(fill))), wantFill(t, fill)
}

// V2 is the typestring, "|S5".
func (t S) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|` + t.String() + `"`), nil }

// V3 is null_terminated_bytes with its length.
func (t S) V3() (json.RawMessage, error) { return lengthV3("null_terminated_bytes", int(t)), nil }

func lengthV3(name string, bytes int) json.RawMessage {
	return json.RawMessage(`{"name":"` + name + `","configuration":{"length_bytes":` + strconv.Itoa(bytes) + `}}`)
}

// String is the typestring, "U4".
func (t U) String() string { return "U" + strconv.Itoa(int(t)) }

// Size is four bytes for each code point.
func (t U) Size() int { return 4 * int(t) }

// Go is [n]rune.
func (t U) Go() reflect.Type { return reflect.ArrayOf(int(t), reflect.TypeFor[rune]()) }

// Fits takes arrays of as many integers of 32 bits.
func (t U) Fits(g reflect.Type) bool {
	return arrayOf(g, int(t), reflect.Int32) || arrayOf(g, int(t), reflect.Uint32)
}

// HasOrder is true.
func (U) HasOrder() bool { return true }

// Swap reverses the bytes of each code point.
func (U) Swap(b []byte) { swap(b, 4) }

// Canon does nothing.
func (U) Canon([]byte) {}

// Check finds what is no Unicode code point.
func (t U) Check(b []byte) error {
	for i := 0; i+4 <= len(b); i += 4 {
		if r := binary.LittleEndian.Uint32(b[i:]); r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return fault.Newf(fault.Type, "element %d of %v has the code point %#x", i/t.Size(), t, r)
		}
	}
	return nil
}

// DefaultFill is the empty text.
func (t U) DefaultFill() []byte { return make([]byte, t.Size()) }

// ParseFill reads a string of at most as many code points; 0 in v2 is the empty text.
func (t U) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	if isZero(raw, format) {
		return t.DefaultFill(), nil
	}
	s, err := unquote(raw)
	if err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(s); n > int(t) {
		return nil, fault.Newf(fault.Metadata, "fill value %s has %d code points, more than %d", abbreviate(raw), n, int(t))
	}
	b := make([]byte, 0, t.Size())
	for _, r := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	return b[:t.Size()], nil
}

// FormatFill writes a string.
func (t U) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	if err := wantFill(t, fill); err != nil {
		return nil, err
	}
	s, ok := utf32(fill)
	if !ok {
		return nil, fault.Newf(fault.Metadata, "fill value %.80x is no text", fill)
	}
	return appendString(nil, s), nil
}

// V2 is the typestring, "<U4".
func (t U) V2(o Order) (json.RawMessage, error) {
	mark := map[Order]string{Little: "<", Big: ">"}[o]
	if mark == "" {
		return nil, fault.Newf(fault.Metadata, "%v needs a byte order", t)
	}
	return json.RawMessage(`"` + mark + t.String() + `"`), nil
}

// V3 is fixed_length_utf32 with its length in bytes.
func (t U) V3() (json.RawMessage, error) { return lengthV3("fixed_length_utf32", t.Size()), nil }

// String is the typestring, "V6".
func (t V) String() string { return "V" + strconv.Itoa(int(t)) }

// Size is the number of bytes.
func (t V) Size() int { return int(t) }

// Go is [n]byte.
func (t V) Go() reflect.Type { return byteArray(int(t)) }

// Fits takes arrays of as many bytes.
func (t V) Fits(g reflect.Type) bool { return arrayOf(g, int(t), reflect.Uint8) }

// HasOrder is false.
func (V) HasOrder() bool { return false }

// Swap does nothing.
func (V) Swap([]byte) {}

// Canon does nothing.
func (V) Canon([]byte) {}

// DefaultFill is zeros.
func (t V) DefaultFill() []byte { return make([]byte, t) }

// ParseFill reads base64, padded with zeros if it is short, or, in v3, a list of bytes.
func (t V) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	if isZero(raw, format) {
		return t.DefaultFill(), nil
	}
	if format >= 3 && len(raw) > 0 && raw[0] == '[' {
		return byteList(raw, int(t))
	}
	return base64Fill(raw, int(t))
}

// FormatFill writes base64.
func (t V) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	return quote64(fill), wantFill(t, fill)
}

// V2 is the typestring, "|V6".
func (t V) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|` + t.String() + `"`), nil }

// V3 is raw_bytes with its length, as zarr-python has it; it is not registered.
func (t V) V3() (json.RawMessage, error) { return lengthV3("raw_bytes", int(t)), nil }

// String is the v3 name, "r48" for 6 bytes.
func (t R) String() string { return "r" + strconv.Itoa(8*int(t)) }

// Size is the number of bytes.
func (t R) Size() int { return int(t) }

// Go is [n]byte.
func (t R) Go() reflect.Type { return byteArray(int(t)) }

// Fits takes arrays of as many bytes.
func (t R) Fits(g reflect.Type) bool { return arrayOf(g, int(t), reflect.Uint8) }

// HasOrder is false.
func (R) HasOrder() bool { return false }

// Swap does nothing.
func (R) Swap([]byte) {}

// Canon does nothing.
func (R) Canon([]byte) {}

// DefaultFill is zeros.
func (t R) DefaultFill() []byte { return make([]byte, t) }

// ParseFill reads a list of bytes, or base64. The specification has the list as long as the type
// has bits, which no implementation does: it has one number for each byte.
func (t R) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	return V(t).ParseFill(raw, format)
}

// FormatFill writes a list of bytes in v3, base64 in v2.
func (t R) FormatFill(fill []byte, format int) (json.RawMessage, error) {
	if format < 3 {
		return V(t).FormatFill(fill, format)
	}
	list := make([]int, len(fill))
	for i, b := range fill {
		list[i] = int(b)
	}
	raw, err := json.Marshal(list)
	return raw, errors.Join(err, wantFill(t, fill))
}

// V2 is the typestring, "|V6".
func (t R) V2(o Order) (json.RawMessage, error) { return V(t).V2(o) }

// V3 is the name.
func (t R) V3() (json.RawMessage, error) { return json.RawMessage(`"` + t.String() + `"`), nil }

// byteList reads a list of n numbers from 0 to 255; any n when it is -1.
func byteList(raw json.RawMessage, n int) ([]byte, error) {
	var list []uint8
	var numbers []json.RawMessage // a []uint8 would be read as base64, and a json.Number from a string
	if json.Unmarshal(raw, &numbers) != nil || numbers == nil || n >= 0 && len(numbers) != n {
		return nil, fault.Newf(fault.Metadata, "fill value %s is no list of %d bytes", abbreviate(raw), n)
	}
	for _, s := range numbers {
		v, err := parseInteger(string(s))
		if err != nil || !v.IsInt64() || v.Int64() < 0 || v.Int64() > 255 {
			return nil, fault.Newf(fault.Metadata, "%.40s in a fill value is no byte", s)
		}
		list = append(list, byte(v.Int64()))
	}
	if list == nil {
		list = []byte{}
	}
	return list, nil
}
