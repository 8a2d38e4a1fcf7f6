package serve

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// appendFloat appends the shortest decimal that parses to the same number of 32 or 64 bits. From
// 1e-6 up to 1e21 it has no exponent, as in package encoding/json.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	small, large := 1e-6, 1e21
	if bits == 32 {
		small, large = float64(float32(small)), float64(float32(large))
	}
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < small || abs >= large) {
		form = 'e'
	}
	return strconv.AppendFloat(dst, f, form, -1, bits)
}

// appendString appends a text as JSON.
func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // encoding a string cannot fail
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}

// appendCell appends a text as a cell of CSV, quoted if necessary (RFC 4180).
func appendCell(dst []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return append(dst, s...)
	}
	return append(append(append(dst, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}
