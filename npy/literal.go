package npy

import (
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Types of the values in a header's Python literal. Numbers are int64, True and False are bool,
// text is string.
type (
	dict  map[string]any
	tuple []any
	list  []any
)

// maxDepth is the maximum nesting depth of the literal. The most deeply nested value of a header is
// the "descr" of nested structures.
const maxDepth = 32

// parseLiteral parses one literal and the white space around it.
func parseLiteral(s string) (any, error) {
	p := &parser{s: s}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.s != "" {
		return nil, p.bad("unexpected text after the dictionary")
	}
	return v, nil
}

// parser holds the text that is not parsed yet.
type parser struct{ s string }

func (p *parser) bad(what string) error {
	at := p.s
	if len(at) > 20 {
		at = at[:20] + "…"
	}
	return fault.Newf(fault.Corrupt, "%s at %q", what, at)
}

func (p *parser) space() { p.s = strings.TrimLeft(p.s, " \t\r\n\f\v") }

// take skips white space, and also the next character if it is c. It reports whether it has skipped
// c.
func (p *parser) take(c byte) bool {
	p.space()
	if p.s == "" || p.s[0] != c {
		return false
	}
	p.s = p.s[1:]
	return true
}

func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.bad("values are nested too deeply")
	}
	switch {
	case p.take('{'):
		return p.dict(depth)
	case p.take('('):
		items, comma, err := p.items(')', depth)
		if err == nil && len(items) == 1 && !comma {
			return items[0], nil // parentheses do not make a tuple
		}
		return tuple(items), err
	case p.take('['):
		items, _, err := p.items(']', depth)
		return list(items), err
	case p.s == "":
		return nil, p.bad("unexpected end of the header")
	case p.s[0] == '\'' || p.s[0] == '"':
		return p.text()
	}
	return p.word()
}

// items parses values up to the closing bracket. comma reports whether the last value is followed
// by a comma.
func (p *parser) items(closing byte, depth int) (items []any, comma bool, err error) {
	for {
		if p.take(closing) {
			return items, comma, nil
		}
		if len(items) > 0 && !comma {
			return nil, false, p.bad("a comma is missing")
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, false, err
		}
		items = append(items, v)
		comma = p.take(',')
	}
}

func (p *parser) dict(depth int) (any, error) {
	d := dict{}
	for comma := true; !p.take('}'); comma = p.take(',') {
		if !comma {
			return nil, p.bad("a comma is missing")
		}
		k, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name, ok := k.(string)
		if !ok || !p.take(':') {
			return nil, p.bad("a name and a colon are missing")
		}
		if _, twice := d[name]; twice {
			return nil, p.bad("a name is repeated")
		}
		if d[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// text parses a quoted string with Python's escapes.
func (p *parser) text() (any, error) {
	at := *p
	quote := p.s[0]
	var b strings.Builder
	for i := 1; i < len(p.s); i++ {
		switch c := p.s[i]; c {
		case quote:
			p.s = p.s[i+1:]
			return b.String(), nil
		case '\n':
			return nil, at.bad("a string does not end")
		case '\\':
			r, rest, err := unescape(p.s[i:])
			if err != nil {
				return nil, at.bad("a string has an unknown escape")
			}
			b.WriteRune(r)
			i = len(p.s) - len(rest) - 1
		default:
			b.WriteByte(c)
		}
	}
	return nil, at.bad("a string does not end")
}

// unescape parses one escape. Go's escapes include all that Python's repr writes.
func unescape(s string) (r rune, rest string, err error) {
	if len(s) > 1 && (s[1] == '\'' || s[1] == '"') {
		return rune(s[1]), s[2:], nil
	}
	r, _, rest, err = strconv.UnquoteChar(s, 0)
	return r, rest, err
}

// word parses True, False or a number. Python 2 wrote long integers with the suffix L.
func (p *parser) word() (any, error) {
	n := len(p.s) - len(strings.TrimLeft(p.s, "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
	word, at := p.s[:n], *p
	p.s = p.s[n:]
	switch word {
	case "True":
		return true, nil
	case "False":
		return false, nil
	}
	i, err := strconv.ParseInt(strings.TrimSuffix(word, "L"), 10, 64)
	if err != nil {
		return nil, at.bad("True, False or a number is missing")
	}
	return i, nil
}
