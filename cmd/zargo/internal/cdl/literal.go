package cdl

import (
	"math"
	"strconv"
	"strings"
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

// quote returns a string in double quotes with the escapes of ncdump.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; c {
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
			b.WriteByte(c)
		default:
			if c < ' ' || c == 0x7f {
				b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
				continue
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// special contains the characters that names must escape.
const special = " !\"#$&'()*,:;<=>?[\\]^`{|}~"

// escape escapes a name as ncdump does.
func escape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case c < ' ' || c == 0x7f:
			b.WriteString(`\%` + strconv.FormatUint(uint64(c>>4), 16) + strconv.FormatUint(uint64(c&15), 16))
			continue
		case strings.IndexByte(special, c) >= 0, i == 0 && c >= '0' && c <= '9':
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
