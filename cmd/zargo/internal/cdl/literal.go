package cdl

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// literal formats a number as ncdump prints it in attributes.
func literal(t Type, v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10) + t.suffix()
	case uint64:
		return strconv.FormatUint(v, 10) + t.suffix()
	case float64:
		s := number(v, t == Float)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return s
		}
		if !strings.Contains(s, ".") {
			if i := strings.IndexByte(s, 'e'); i >= 0 {
				s = s[:i] + "." + s[i:]
			} else {
				s += "."
			}
		}
		return s + t.suffix()
	}
	return ""
}

// number formats a float as ncdump prints it in data sections. The result has the fewest digits
// that identify the value. It has an exponent under the conditions of the format %g. The precision
// in these conditions is that of ncdump or the number of digits, whichever is larger.
func number(f float64, single bool) string {
	bits, precision, mark := 64, 15, ""
	if single {
		bits, precision, mark = 32, 7, "f"
	}
	switch {
	case math.IsNaN(f):
		return "NaN" + mark
	case math.IsInf(f, 1):
		return "Infinity" + mark
	case math.IsInf(f, -1):
		return "-Infinity" + mark
	}
	s := strconv.FormatFloat(f, 'e', -1, bits)
	digits, exp, _ := strings.Cut(s, "e")
	n, _ := strconv.Atoi(exp)
	count := len(strings.TrimLeft(strings.Replace(digits, ".", "", 1), "-"))
	if f == 0 || n >= -4 && n < max(precision, count) {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return s
}

// quote returns a string in double quotes with the escapes of ncdump. Other characters that are not
// graphic, and bytes that are not UTF-8, are octal escapes of their bytes.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch r {
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\v':
			b.WriteString(`\v`)
		case '\\', '\'', '"':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			if graphic(r, size) {
				b.WriteString(s[:size])
				break
			}
			for _, c := range []byte(s[:size]) {
				b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
			}
		}
		s = s[size:]
	}
	b.WriteByte('"')
	return b.String()
}

// graphic reports whether a terminal shows a character that has size bytes in UTF-8.
func graphic(r rune, size int) bool {
	return unicode.IsGraphic(r) && (r != utf8.RuneError || size > 1)
}

// special contains the characters that names must escape.
const special = " !\"#$&'()*,:;<=>?[\\]^`{|}~"

// escape escapes a name as ncdump does. Other characters that are not graphic, and bytes that are
// not UTF-8, are escapes of their bytes, like control characters.
func escape(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		text := name[i : i+size]
		switch {
		case !graphic(r, size):
			for _, c := range []byte(text) {
				b.WriteString(`\%` + strconv.FormatUint(uint64(c>>4), 16) + strconv.FormatUint(uint64(c&15), 16))
			}
			text = ""
		case strings.ContainsRune(special, r), i == 0 && r >= '0' && r <= '9':
			b.WriteByte('\\')
		}
		b.WriteString(text)
		i += size
	}
	return b.String()
}
