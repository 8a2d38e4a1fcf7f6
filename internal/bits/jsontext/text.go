package jsontext

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text parses a string and appends its canonical form.
func (r *reader) text() error {
	r.at++
	r.dst = append(r.dst, '"')
	for r.at < len(r.src) {
		c := r.src[r.at]
		switch {
		case c == '"':
			r.at++
			r.dst = append(r.dst, '"')
			return nil
		case c == '\\':
			if err := r.escape(); err != nil {
				return err
			}
		case c < ' ' && r.dialect&Controls == 0:
			return r.bad("unexpected control character in a string")
		default:
			r.dst = appendByte(r.dst, c)
			r.at++
		}
	}
	return r.bad("unexpected end of a string")
}

// escape parses an escape sequence and appends its canonical form. An unpaired surrogate, which
// Python allows in strings, remains an escape.
func (r *reader) escape() error {
	if r.at+1 >= len(r.src) {
		return r.bad("unexpected end of an escape")
	}
	c := r.src[r.at+1]
	if c == 'u' {
		u, ok := r.unit(r.at)
		if !ok {
			return r.bad("expected four hexadecimal digits of an escape")
		}
		r.at += 6
		if utf16.IsSurrogate(u) {
			low, ok := r.unit(r.at)
			if pair := utf16.DecodeRune(u, low); ok && pair != utf8.RuneError {
				r.at += 6
				r.dst = utf8.AppendRune(r.dst, pair)
				return nil
			}
			r.dst = appendUnit(r.dst, u)
			return nil
		}
		if u < utf8.RuneSelf {
			r.dst = appendByte(r.dst, byte(u))
			return nil
		}
		r.dst = utf8.AppendRune(r.dst, u)
		return nil
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		return r.bad("unknown escape")
	}
	r.at += 2
	r.dst = appendByte(r.dst, "\"\\/\b\f\n\r\t"[i])
	return nil
}

// unit parses the UTF-16 code unit \uXXXX at an offset of src.
func (r *reader) unit(at int) (rune, bool) {
	if len(r.src)-at < 6 || r.src[at] != '\\' || r.src[at+1] != 'u' {
		return 0, false
	}
	u, err := strconv.ParseUint(string(r.src[at+2:at+6]), 16, 16)
	return rune(u), err == nil
}

// appendByte appends a byte of a string, escaped if required, in the form that Python writes.
func appendByte(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c >= ' ':
		return append(dst, c)
	}
	if i := strings.IndexByte("\b\f\n\r\t", c); i >= 0 {
		return append(dst, '\\', "bfnrt"[i])
	}
	return appendUnit(dst, rune(c))
}

// appendUnit appends the UTF-16 code unit u as \uXXXX.
func appendUnit(dst []byte, u rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}

// AppendString appends the canonical form of a string. text must be UTF-8.
func AppendString[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		dst = appendByte(dst, text[i])
	}
	return append(dst, '"')
}

// Unquote returns the text of a string in canonical form. ok is false for other values, and for
// strings with an unpaired surrogate, which UTF-8 cannot represent.
func Unquote(canon []byte) (text string, ok bool) {
	if len(canon) < 2 || canon[0] != '"' {
		return "", false
	}
	b := make([]byte, 0, len(canon))
	for in := canon[1 : len(canon)-1]; len(in) > 0; {
		if in[0] != '\\' {
			b, in = append(b, in[0]), in[1:]
			continue
		}
		if in[1] != 'u' {
			b, in = append(b, map[byte]byte{'"': '"', '\\': '\\', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[in[1]]), in[2:]
			continue
		}
		u, err := strconv.ParseUint(string(in[2:6]), 16, 16)
		if err != nil || u >= utf8.RuneSelf {
			return "", false
		}
		b, in = append(b, byte(u)), in[6:]
	}
	return string(b), true
}
