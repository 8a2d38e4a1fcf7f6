package jsontext

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
)

// AppendFloat appends the canonical form of a number that JSON cannot represent. name must be NaN,
// Infinity or -Infinity.
func AppendFloat(dst []byte, name string) []byte {
	return append(append(append(dst, floatHead...), name...), tail...)
}

// names are Python's names of the numbers that JSON cannot represent.
var names = [...]string{"NaN", "Infinity", "-Infinity"}

const (
	floatHead = `{"float":"`
	bytesHead = `{"b64":"`
	tail      = `"}`
)

// AppendNumber appends the canonical form of a floating-point number, as Python writes it: the
// shortest decimal that is parsed as f, always with a point or an exponent. All NaNs have the same
// form.
func AppendNumber(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return AppendFloat(dst, "NaN")
	case math.IsInf(f, 1):
		return AppendFloat(dst, "Infinity")
	case math.IsInf(f, -1):
		return AppendFloat(dst, "-Infinity")
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	start := len(dst)
	if dst = strconv.AppendFloat(dst, f, 'f', -1, 64); !bytes.ContainsRune(dst[start:], '.') {
		dst = append(dst, ".0"...)
	}
	return dst
}

// Float reports whether a value in canonical form is the result of [AppendFloat], and returns its
// name.
func Float(canon []byte) (name string, ok bool) {
	name, ok = between(canon, floatHead)
	return name, ok && slices.Contains(names[:], name)
}

// AppendBytes appends the canonical form of bytes.
func AppendBytes(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, bytesHead...), b), tail...)
}

// Bytes decodes a value in canonical form that is the result of [AppendBytes]. ok is false for
// other values.
func Bytes(canon []byte) (b []byte, ok bool) {
	text, ok := between(canon, bytesHead)
	if !ok {
		return nil, false
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return b, err == nil
}

// between returns the part of canon after head and before the closing characters of the object. It
// returns false if canon is a value of another form.
func between(canon []byte, head string) (string, bool) {
	if len(canon) < len(head)+len(tail) || string(canon[:len(head)]) != head || string(canon[len(canon)-len(tail):]) != tail {
		return "", false
	}
	text := canon[len(head) : len(canon)-len(tail)]
	if bytes.ContainsAny(text, `"\`) { // this is found early in other objects, even in large ones
		return "", false
	}
	return string(text), true
}
