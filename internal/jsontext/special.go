package jsontext

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
)

// names are the numbers that JSON lacks, as Python spells them.
var names = [...]string{"NaN", "Infinity", "-Infinity"}

const (
	floatHead = `{"float":"`
	bytesHead = `{"b64":"`
	tail      = `"}`
)

// AppendFloat appends NaN, Infinity or -Infinity.
func AppendFloat(dst []byte, name string) []byte {
	return append(append(append(dst, floatHead...), name...), tail...)
}

// AppendNumber appends a floating-point number as Python writes it: the shortest decimal that is
// read back as it, with a point or an exponent, whatever it is. All NaNs are one.
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

// Float tells whether a value in canonical spelling is one that AppendFloat writes.
func Float(canon []byte) (name string, ok bool) {
	name, ok = between(canon, floatHead)
	return name, ok && slices.Contains(names[:], name)
}

// AppendBytes appends bytes.
func AppendBytes(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, bytesHead...), b), tail...)
}

// Bytes gives the bytes of a value in canonical spelling that AppendBytes writes.
func Bytes(canon []byte) (b []byte, ok bool) {
	text, ok := between(canon, bytesHead)
	if !ok {
		return nil, false
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return b, err == nil
}

// between is what stands between a head and the tail of an object.
func between(canon []byte, head string) (string, bool) {
	if len(canon) < len(head)+len(tail) || string(canon[:len(head)]) != head || string(canon[len(canon)-len(tail):]) != tail {
		return "", false
	}
	text := canon[len(head) : len(canon)-len(tail)]
	if bytes.ContainsAny(text, `"\`) { // found soon where it is another object, however large
		return "", false
	}
	return string(text), true
}
