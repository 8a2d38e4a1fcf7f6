package cdl

import (
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// token is a token of CDL.
type token struct {
	kind   byte   // 'w' for a word, 's' for a quoted string, 0 for the end, otherwise the character
	text   string // the text without escapes
	raw    string // the text of a word with its escapes
	line   int
	spaced bool // white space or a comment precedes the token
}

// lexer divides CDL into tokens.
type lexer struct {
	rest string
	line int
	last *token // returned by the next call of next; or nil
}

// next returns the next token. At the end of the text it returns a token of kind 0.
func (l *lexer) next() (token, error) {
	if l.last != nil {
		t := *l.last
		l.last = nil
		return t, nil
	}
	spaced := l.space()
	t := token{line: l.line, spaced: spaced}
	if l.rest == "" {
		return t, nil
	}
	switch c := l.rest[0]; {
	case c == '"':
		return l.quoted(t)
	case isWord(c):
		return l.word(t)
	case strings.IndexByte("{}()=,;:", c) >= 0:
		t.kind, t.text, l.rest = c, l.rest[:1], l.rest[1:]
		return t, nil
	}
	return t, l.errorf(l.line, "the character %q is not part of CDL", l.rest[0])
}

// peek returns the next token without consuming it.
func (l *lexer) peek() (token, error) {
	t, err := l.next()
	if err == nil {
		l.last = &t
	}
	return t, err
}

// space skips white space and comments. It reports whether it skipped anything.
func (l *lexer) space() bool {
	before := len(l.rest)
	for l.rest != "" {
		switch c := l.rest[0]; {
		case c == '\n':
			l.line++
		case c == ' ' || c == '\t' || c == '\r':
		case strings.HasPrefix(l.rest, "//"):
			i := strings.IndexByte(l.rest, '\n')
			if i < 0 {
				i = len(l.rest)
			}
			l.rest = l.rest[i:]
			continue
		default:
			return len(l.rest) < before
		}
		l.rest = l.rest[1:]
	}
	return len(l.rest) < before
}

// isWord reports whether c may be part of a word. Other characters of a name need an escape.
func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || strings.IndexByte(`_.@+-%/\`, c) >= 0
}

func (l *lexer) word(t token) (token, error) {
	t.kind = 'w'
	var b strings.Builder
	i := 0
	for i < len(l.rest) && isWord(l.rest[i]) && !strings.HasPrefix(l.rest[i:], "//") {
		if l.rest[i] != '\\' {
			b.WriteByte(l.rest[i])
			i++
			continue
		}
		if i+3 < len(l.rest) && l.rest[i+1] == '%' {
			if hi, lo := digit(l.rest[i+2]), digit(l.rest[i+3]); hi < 16 && lo < 16 {
				b.WriteByte(hi<<4 | lo)
				i += 4
				continue
			}
		}
		if i++; i == len(l.rest) || l.rest[i] == '\n' {
			return t, l.errorf(l.line, "a name ends after a backslash")
		}
		b.WriteByte(l.rest[i])
		i++
	}
	t.text, t.raw, l.rest = b.String(), l.rest[:i], l.rest[i:]
	return t, nil
}

// digit returns the value of a hexadecimal digit, or 255 for another character.
func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// quoted reads a quoted string. Its escapes are those of C.
func (l *lexer) quoted(t token) (token, error) {
	t.kind = 's'
	var b strings.Builder
	s := l.rest
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			t.text, l.rest = b.String(), s[i+1:]
			return t, nil
		case '\n':
			l.line++
			b.WriteByte(c)
		case '\\':
			if i++; i == len(s) {
				break
			}
			i += unescape(&b, s[i:]) - 1
		default:
			b.WriteByte(c)
		}
	}
	return t, l.errorf(t.line, "a text lacks its closing quote")
}

// unescape decodes the escape at the start of s, which does not include the backslash. It appends
// the character to b and returns the length of the escape.
func unescape(b *strings.Builder, s string) int {
	if i := strings.IndexByte("abfnrtv", s[0]); i >= 0 {
		b.WriteByte("\a\b\f\n\r\t\v"[i])
		return 1
	}
	if s[0] == 'x' && len(s) > 2 && digit(s[1]) < 16 && digit(s[2]) < 16 {
		b.WriteByte(digit(s[1])<<4 | digit(s[2]))
		return 3
	}
	n, v := 0, 0
	for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		v = v<<3 | int(s[n]-'0')
		n++
	}
	if n == 0 {
		b.WriteByte(s[0])
		return 1
	}
	b.WriteByte(byte(v))
	return n
}

func (l *lexer) errorf(line int, format string, args ...any) error {
	return fault.Newf(fault.Metadata, "CDL, line %d: %w", line, fmt.Errorf(format, args...))
}
