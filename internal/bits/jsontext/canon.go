package jsontext

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// MaxDepth is the maximum nesting depth of values. 512 is half of the depth that Python's json
// module reads with its default recursion limit of 1000 calls.
const MaxDepth = 512

// Dialect is the set of extensions of JSON that [Canon] accepts.
type Dialect uint8

// The available dialects. Tokens and Controls may be combined.
const (
	// Strict is the JSON of RFC 8259.
	Strict Dialect = 0
	// Tokens accepts NaN, Infinity and -Infinity, as Python's json module does by default. The
	// canonical form of such a token is an object. If the input itself contains such an object,
	// Canon returns errors.ErrUnsupported, because the object could not be distinguished from a
	// token.
	Tokens Dialect = 1 << iota
	// Controls accepts control characters in strings, as Python's json module does with
	// strict=False.
	Controls
)

// Canon appends the canonical form of src to dst. src must contain exactly one value. If Canon
// fails, it returns dst unchanged.
func Canon(dst, src []byte, d Dialect) ([]byte, error) {
	start := len(dst)
	r := reader{src: src, dst: dst, dialect: d}
	if !utf8.Valid(src) {
		return dst, fault.Newf(fault.Corrupt, "JSON is not valid UTF-8")
	}
	if err := r.value(0); err != nil {
		return dst[:start], err
	}
	if r.space(); r.at < len(r.src) {
		return dst[:start], r.bad("unexpected text after the value")
	}
	return r.dst, nil
}

// reader parses src in one pass and appends to dst.
type reader struct {
	src     []byte
	at      int
	dst     []byte
	dialect Dialect
}

func (r *reader) bad(what string) error {
	return fault.Newf(fault.Corrupt, "JSON: %s at byte %d of %d", what, r.at, len(r.src))
}

func (r *reader) space() {
	for r.at < len(r.src) && strings.IndexByte(" \t\r\n", r.src[r.at]) >= 0 {
		r.at++
	}
}

// peek skips white space and returns the next byte, or 0 at the end.
func (r *reader) peek() byte {
	if r.space(); r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

// token reports whether the input continues with word. If so, it skips the word.
func (r *reader) token(word string) bool {
	if len(r.src)-r.at < len(word) || string(r.src[r.at:r.at+len(word)]) != word {
		return false
	}
	r.at += len(word)
	return true
}

func (r *reader) value(depth int) error {
	switch c := r.peek(); {
	case (c == '[' || c == '{') && depth == MaxDepth:
		return fault.Newf(fault.Limit, "JSON is nested more than %d levels deep", MaxDepth)
	case c == '[':
		return r.list(depth)
	case c == '{':
		return r.object(depth)
	case c == '"':
		return r.text()
	}
	for _, word := range [...]string{"null", "true", "false"} {
		if r.token(word) {
			r.dst = append(r.dst, word...)
			return nil
		}
	}
	if r.dialect&Tokens != 0 {
		for _, word := range names {
			if r.token(word) {
				r.dst = AppendFloat(r.dst, word)
				return nil
			}
		}
	}
	return r.number()
}

func (r *reader) list(depth int) error {
	r.at++
	r.dst = append(r.dst, '[')
	for n := 0; ; n++ {
		if r.peek() == ']' && n == 0 {
			break
		}
		if err := r.value(depth + 1); err != nil {
			return err
		}
		c := r.peek()
		if c == ']' {
			break
		}
		if c != ',' {
			return r.bad("expected \",\" or \"]\"")
		}
		r.at++
		r.dst = append(r.dst, ',')
	}
	r.at++
	r.dst = append(r.dst, ']')
	return nil
}

func (r *reader) object(depth int) error {
	start := len(r.dst)
	r.at++
	r.dst = append(r.dst, '{')
	for n := 0; ; n++ {
		c := r.peek()
		if c == '}' && n == 0 {
			break
		}
		if c != '"' {
			return r.bad("expected the name of a member")
		}
		if err := r.text(); err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.bad("expected \":\"")
		}
		r.at++
		r.dst = append(r.dst, ':')
		if err := r.value(depth + 1); err != nil {
			return err
		}
		if c = r.peek(); c == '}' {
			break
		}
		if c != ',' {
			return r.bad("expected \",\" or \"}\"")
		}
		r.at++
		r.dst = append(r.dst, ',')
	}
	r.at++
	r.dst = append(r.dst, '}')
	if _, ok := Float(r.dst[start:]); ok && r.dialect&Tokens != 0 {
		return fault.Newf(errors.ErrUnsupported, "the object %s has the form that represents a number", r.dst[start:])
	}
	return nil
}

// number parses a number and appends it unchanged.
func (r *reader) number() error {
	from := r.at
	r.token("-")
	if whole := r.digits(); whole == 0 || whole > 1 && r.src[r.at-whole] == '0' {
		return r.bad("expected a value")
	}
	if r.token(".") && r.digits() == 0 {
		return r.bad("expected digits after the decimal point")
	}
	if r.token("e") || r.token("E") {
		if !r.token("-") {
			r.token("+")
		}
		if r.digits() == 0 {
			return r.bad("expected digits in the exponent")
		}
	}
	r.dst = append(r.dst, r.src[from:r.at]...)
	return nil
}

func (r *reader) digits() int {
	from := r.at
	for r.at < len(r.src) && r.src[r.at] >= '0' && r.src[r.at] <= '9' {
		r.at++
	}
	return r.at - from
}
