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

// MaxSize is the maximum number of bytes of one element. It bounds the allocations that a hostile
// document can cause. The largest elements in known files have a few thousand bytes.
const MaxSize = 64 << 20

// S is numpy's type "S", text without a defined encoding, padded with NULs. S(n) has elements of at
// most n bytes. The v3 name is null_terminated_bytes. The Go form is an array of bytes; [Text]
// returns a string.
type S int

// U is numpy's type "U", UTF-32 text, padded with NULs. U(n) has elements of at most n code points.
// The v3 name is fixed_length_utf32. The Go form is an array of runes; [Runes] returns a string.
type U int

// V is numpy's type "V", uninterpreted bytes. V(n) has elements of n bytes. The v3 name is
// raw_bytes.
type V int

// R is the v3 core type "r*", uninterpreted bytes. R(n) has elements of n bytes, but its name
// contains the number of bits, as in "r48". In v2 it is stored as V.
type R int

// Text returns the text of an S without its padding.
func Text(b []byte) string { return strings.TrimRight(string(b), "\x00") }

// Runes returns the text of a U without its padding. Invalid code points become U+FFFD.
func Runes(r []rune) string {
	for len(r) > 0 && r[len(r)-1] == 0 {
		r = r[:len(r)-1]
	}
	return string(r)
}

// utf32 returns the text of an element of type U. ok is false if it has invalid code points.
func utf32(b []byte) (text string, ok bool) {
	r := make([]rune, len(b)/4)
	ok = true
	for i := range r {
		r[i] = rune(binary.LittleEndian.Uint32(b[4*i:]))
		ok = ok && utf8.ValidRune(r[i])
	}
	return Runes(r), ok
}

// sized returns an error if size is not between 1 and MaxSize.
func sized(t Type, size int) error {
	switch {
	case size < 1:
		return fault.Newf(fault.Metadata, "%v: elements must have at least 1 byte", t)
	case size > MaxSize:
		return fault.Newf(fault.Limit, "%v: elements must have at most %d bytes", t, MaxSize)
	}
	return nil
}

// parseLength parses the decimal length in a typestring or a name. It returns MaxSize+1 for text
// that is not a number or a number above MaxSize.
func parseLength(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n > MaxSize {
		return MaxSize + 1
	}
	return n
}

// parseLengthBytes parses the configuration {"length_bytes": n} and returns n/each. It returns
// MaxSize+1 if n is above MaxSize.
func parseLengthBytes(config json.RawMessage, each int) (int, error) {
	var c struct {
		Length json.RawMessage `json:"length_bytes"`
	}
	if err := strictConfig(config, &c, "length_bytes"); err != nil {
		return 0, err
	}
	if c.Length == nil {
		return 0, fault.Newf(fault.Metadata, `the data type must have "length_bytes"`)
	}
	n, err := parseInteger(string(c.Length))
	if err != nil || n.Sign() < 1 {
		return 0, fault.Newf(fault.Metadata, "length_bytes must be a positive integer, is %.40s", c.Length)
	}
	if !n.IsInt64() || n.Int64() > MaxSize {
		return MaxSize + 1, nil
	}
	if n.Int64()%int64(each) != 0 {
		return 0, fault.Newf(fault.Metadata, "length_bytes must be a multiple of %d, is %.40s", each, c.Length)
	}
	return int(n.Int64()) / each, nil
}

// base64Fill decodes a fill value of at most n bytes and pads it with NULs to n bytes.
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

// isZero reports whether a fill value is the number 0, which old writers used for empty text.
func isZero(raw json.RawMessage, format int) bool {
	s := strings.TrimSpace(string(raw))
	return format < 3 && (s == "0" || s == "0.0")
}

// arrayOf reports whether t is an array of n elements of a kind.
func arrayOf(t reflect.Type, n int, kind reflect.Kind) bool {
	return t.Kind() == reflect.Array && t.Len() == n && t.Elem().Kind() == kind && !isBits(t.Elem())
}

func wantFill(t Type, fill []byte) error {
	if len(fill) != t.Size() {
		return fault.Newf(fault.Metadata, "fill value of %v must have %d bytes, has %d", t, t.Size(), len(fill))
	}
	return nil
}

func byteArray(n int) reflect.Type { return reflect.ArrayOf(n, reflect.TypeFor[byte]()) }

// String returns the typestring, such as "S5".
func (t S) String() string { return "S" + strconv.Itoa(int(t)) }

// Size returns the number of bytes.
func (t S) Size() int { return int(t) }

// Go returns [n]byte.
func (t S) Go() reflect.Type { return byteArray(int(t)) }

// Fits reports whether g is an array of the same number of bytes.
func (t S) Fits(g reflect.Type) bool { return arrayOf(g, int(t), reflect.Uint8) }

// HasOrder returns false.
func (S) HasOrder() bool { return false }

// Swap does nothing.
func (S) Swap([]byte) {}

// Canon does nothing.
func (S) Canon([]byte) {}

// DefaultFill returns the empty text.
func (t S) DefaultFill() []byte { return make([]byte, t) }

// ParseFill decodes base64, and pads short text with NULs. In v2 the number 0 means the empty text.
func (t S) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	if isZero(raw, format) {
		return t.DefaultFill(), nil
	}
	return base64Fill(raw, int(t))
}

// FormatFill returns base64. In v2 it encodes all bytes, as TensorStore requires. In v3 it omits
// the padding, as zarr-python does.
func (t S) FormatFill(fill []byte, format int) (json.RawMessage, error) {
	if format < 3 {
		return quote64(fill), wantFill(t, fill)
	}
	return quote64([]byte(Text(fill))), wantFill(t, fill)
}

// V2 returns the typestring, such as "|S5".
func (t S) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|` + t.String() + `"`), nil }

// V3 returns null_terminated_bytes with its length.
func (t S) V3() (json.RawMessage, error) { return lengthV3("null_terminated_bytes", int(t)), nil }

func lengthV3(name string, bytes int) json.RawMessage {
	return json.RawMessage(`{"name":"` + name + `","configuration":{"length_bytes":` + strconv.Itoa(bytes) + `}}`)
}

// String returns the typestring, such as "U4".
func (t U) String() string { return "U" + strconv.Itoa(int(t)) }

// Size returns four bytes for each code point.
func (t U) Size() int { return 4 * int(t) }

// Go returns [n]rune.
func (t U) Go() reflect.Type { return reflect.ArrayOf(int(t), reflect.TypeFor[rune]()) }

// Fits reports whether g is an array of t integers of 32 bits.
func (t U) Fits(g reflect.Type) bool {
	return arrayOf(g, int(t), reflect.Int32) || arrayOf(g, int(t), reflect.Uint32)
}

// HasOrder returns true.
func (U) HasOrder() bool { return true }

// Swap reverses the bytes of each code point.
func (U) Swap(b []byte) { swap(b, 4) }

// Canon does nothing.
func (U) Canon([]byte) {}

// Check returns fault.Type for invalid Unicode code points.
func (t U) Check(b []byte) error {
	for i := 0; i+4 <= len(b); i += 4 {
		if r := binary.LittleEndian.Uint32(b[i:]); r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return fault.Newf(fault.Type, "element %d of %v has the invalid code point %#x", i/t.Size(), t, r)
		}
	}
	return nil
}

// DefaultFill returns the empty text.
func (t U) DefaultFill() []byte { return make([]byte, t.Size()) }

// ParseFill parses a string that is not longer than the type allows. In v2 the number 0 means the
// empty text.
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

// FormatFill returns a JSON string.
func (t U) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	if err := wantFill(t, fill); err != nil {
		return nil, err
	}
	s, ok := utf32(fill)
	if !ok {
		return nil, fault.Newf(fault.Metadata, "fill value %.80x is not valid UTF-32", fill)
	}
	return appendString(nil, s), nil
}

// V2 returns the typestring, such as "<U4".
func (t U) V2(o Order) (json.RawMessage, error) {
	mark := map[Order]string{Little: "<", Big: ">"}[o]
	if mark == "" {
		return nil, fault.Newf(fault.Metadata, "%v needs a byte order", t)
	}
	return json.RawMessage(`"` + mark + t.String() + `"`), nil
}

// V3 returns fixed_length_utf32 with its length in bytes.
func (t U) V3() (json.RawMessage, error) { return lengthV3("fixed_length_utf32", t.Size()), nil }

// String returns the typestring, such as "V6".
func (t V) String() string { return "V" + strconv.Itoa(int(t)) }

// Size returns the number of bytes.
func (t V) Size() int { return int(t) }

// Go returns [n]byte.
func (t V) Go() reflect.Type { return byteArray(int(t)) }

// Fits reports whether g is an array of the same number of bytes.
func (t V) Fits(g reflect.Type) bool { return arrayOf(g, int(t), reflect.Uint8) }

// HasOrder returns false.
func (V) HasOrder() bool { return false }

// Swap does nothing.
func (V) Swap([]byte) {}

// Canon does nothing.
func (V) Canon([]byte) {}

// DefaultFill returns zeros.
func (t V) DefaultFill() []byte { return make([]byte, t) }

// ParseFill decodes base64, and pads a short value with zeros. In v3 it also parses a list of
// bytes.
func (t V) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	if isZero(raw, format) {
		return t.DefaultFill(), nil
	}
	if format >= 3 && len(raw) > 0 && raw[0] == '[' {
		return byteList(raw, int(t))
	}
	return base64Fill(raw, int(t))
}

// FormatFill returns base64.
func (t V) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	return quote64(fill), wantFill(t, fill)
}

// V2 returns the typestring, such as "|V6".
func (t V) V2(Order) (json.RawMessage, error) { return json.RawMessage(`"|` + t.String() + `"`), nil }

// V3 returns raw_bytes with its length, as in zarr-python. The name is not registered.
func (t V) V3() (json.RawMessage, error) { return lengthV3("raw_bytes", int(t)), nil }

// String returns the v3 name, such as "r48" for 6 bytes.
func (t R) String() string { return "r" + strconv.Itoa(8*int(t)) }

// Size returns the number of bytes.
func (t R) Size() int { return int(t) }

// Go returns [n]byte.
func (t R) Go() reflect.Type { return byteArray(int(t)) }

// Fits reports whether g is an array of the same number of bytes.
func (t R) Fits(g reflect.Type) bool { return arrayOf(g, int(t), reflect.Uint8) }

// HasOrder returns false.
func (R) HasOrder() bool { return false }

// Swap does nothing.
func (R) Swap([]byte) {}

// Canon does nothing.
func (R) Canon([]byte) {}

// DefaultFill returns zeros.
func (t R) DefaultFill() []byte { return make([]byte, t) }

// ParseFill parses a list with one number for each byte, or base64. According to the specification
// the list has one number for each bit, but no implementation does that.
func (t R) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	return V(t).ParseFill(raw, format)
}

// FormatFill returns a list of bytes in v3, and base64 in v2.
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

// V2 returns the typestring, such as "|V6".
func (t R) V2(o Order) (json.RawMessage, error) { return V(t).V2(o) }

// V3 returns the name as a JSON string.
func (t R) V3() (json.RawMessage, error) { return json.RawMessage(`"` + t.String() + `"`), nil }

// byteList parses a list of n numbers from 0 to 255. If n is -1, the list may have any length.
func byteList(raw json.RawMessage, n int) ([]byte, error) {
	var list []uint8
	var numbers []json.RawMessage // a []uint8 would accept base64, and a []json.Number would accept strings
	if json.Unmarshal(raw, &numbers) != nil || numbers == nil || n >= 0 && len(numbers) != n {
		want := "a list of bytes"
		if n >= 0 {
			want = "a list of " + strconv.Itoa(n) + " bytes"
		}
		return nil, fault.Newf(fault.Metadata, "fill value %s is not %s", abbreviate(raw), want)
	}
	for _, s := range numbers {
		v, err := parseInteger(string(s))
		if err != nil || !v.IsInt64() || v.Int64() < 0 || v.Int64() > 255 {
			return nil, fault.Newf(fault.Metadata, "%.40s in a fill value is not a number from 0 to 255", s)
		}
		list = append(list, byte(v.Int64()))
	}
	if list == nil {
		list = []byte{}
	}
	return list, nil
}
