package meta

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// maxDepth is the maximum depth of nested values. 1000 is the limit of Python's decoder, and most
// stores are written with Python.
const maxDepth = 1000

// maxMembers is the maximum number of members of an object, and maxElements the maximum number of
// elements of a list outside of attributes. Each member or element takes about 150 bytes while the
// text is split. Consolidated metadata with 2^18 nodes exceeds the default maximum size of a
// document.
const (
	maxMembers  = 1 << 18
	maxElements = 1 << 20
)

// scanner reads JSON text (RFC 8259) in one pass. It exists because encoding/json ignores the case
// of member names, repairs invalid UTF-8 silently, and does not accept bare tokens.
type scanner struct {
	b     []byte
	i     int
	depth int
	bare  bool // accept the tokens NaN, Infinity and -Infinity as values
	saw   bool // the text contains such a token
}

// check checks that doc is exactly one JSON value in UTF-8, and reports whether it contains bare
// tokens.
func check(doc []byte, bare bool) (saw bool, err error) {
	s := &scanner{b: doc, bare: bare}
	if !utf8.Valid(doc) {
		for i := 0; i < len(doc); {
			r, n := utf8.DecodeRune(doc[i:])
			if r == utf8.RuneError && n == 1 {
				s.i = i
				break
			}
			i += n
		}
		return false, s.errorf("invalid UTF-8")
	}
	if err := s.value(); err != nil {
		return false, err
	}
	if s.space(); s.i < len(s.b) {
		return false, s.errorf("unexpected text after the document")
	}
	return s.saw, nil
}

func (s *scanner) errorf(format string, args ...any) error {
	return fault.Newf(fault.Metadata, "JSON, byte %d: "+format, append([]any{s.i}, args...)...)
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space, or 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) && s.b[s.i] > ' ' { // the common case, which is inlined
		return s.b[s.i]
	}
	return s.peekPast()
}

func (s *scanner) peekPast() byte {
	s.space()
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// skip is like value, but for checked text: it only searches for the end of the value, which takes
// a third of the time.
func (s *scanner) skip() error {
	if c := s.peek(); c != '{' && c != '[' {
		return s.value()
	}
	for depth := 0; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.i++
				return nil
			}
		case '"':
			for s.i++; s.i < len(s.b) && s.b[s.i] != '"'; s.i++ {
				if s.b[s.i] == '\\' {
					s.i++
				}
			}
		}
	}
	return s.errorf("the document ends too early")
}

// value scans one value.
func (s *scanner) value() error {
	switch c := s.peek(); {
	case c == '{':
		return s.each('}', func() error {
			if s.peek() != '"' {
				return s.errorf("the member has no name")
			}
			if err := s.text(); err != nil {
				return err
			}
			if s.peek() != ':' {
				return s.errorf("expected a colon after the name of a member")
			}
			s.i++
			return s.value()
		})
	case c == '[':
		return s.each(']', s.value)
	case c == '"':
		return s.text()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	if slices.ContainsFunc([]string{"true", "false", "null"}, s.word) {
		return nil
	}
	if s.bareToken() != "" {
		return nil
	}
	if s.i >= len(s.b) {
		return s.errorf("the document ends too early")
	}
	return s.errorf("%q does not begin a value", s.b[s.i])
}

// each scans a list or an object, and calls the function item at the start of each item.
func (s *scanner) each(end byte, item func() error) error {
	if s.depth++; s.depth > maxDepth {
		return s.errorf("values are nested more than %d deep", maxDepth)
	}
	s.i++
	n := 0
	for first := true; ; first = false {
		c := s.peek()
		if c == end && first {
			break
		}
		if n++; n > maxMembers && end == '}' {
			return fault.Newf(fault.Limit, "JSON, byte %d: the object has more than %d members", s.i, maxMembers)
		}
		if err := item(); err != nil {
			return err
		}
		if c = s.peek(); c == end {
			break
		}
		if c != ',' {
			return s.errorf("expected a comma or %q", end)
		}
		s.i++
		if s.peek() == end {
			return s.errorf("unexpected comma before %q", end)
		}
	}
	s.i++
	s.depth--
	return nil
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.b[s.i:], []byte(w)) {
		return false
	}
	s.i += len(w)
	return true
}

// bareToken scans a bare token if it is next and the scanner accepts it. Otherwise it returns "".
func (s *scanner) bareToken() string {
	if !s.bare {
		return ""
	}
	for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
		if s.word(w) {
			s.saw = true
			return w
		}
	}
	return ""
}

func (s *scanner) text() error {
	for s.i++; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return nil
		case c < 0x20:
			return s.errorf("control character %q in a string", c)
		case c == '\\':
			s.i++
			if s.i >= len(s.b) {
				break
			}
			switch s.b[s.i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if s.i++; s.i >= len(s.b) || !isHex(s.b[s.i]) {
						return s.errorf("invalid escape in a string")
					}
				}
			default:
				return s.errorf("invalid escape in a string")
			}
		}
	}
	return s.errorf("the string has no end")
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// digits scans decimal digits and returns how many there are.
func (s *scanner) digits() int {
	from := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i - from
}

func (s *scanner) number() error {
	if s.b[s.i] == '-' {
		if s.bareToken() != "" {
			return nil
		}
		s.i++
	}
	from := s.i
	if n := s.digits(); n == 0 || n > 1 && s.b[from] == '0' {
		return s.errorf("invalid number")
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		if s.i++; s.digits() == 0 {
			return s.errorf("invalid number")
		}
	}
	if s.i < len(s.b) && (s.b[s.i] == 'e' || s.b[s.i] == 'E') {
		if s.i++; s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		if s.digits() == 0 {
			return s.errorf("invalid number")
		}
	}
	return nil
}

// unquote scans a string of checked text and returns its value.
func (s *scanner) unquote() (string, error) {
	from := s.i
	if err := s.text(); err != nil {
		return "", err
	}
	raw := s.b[from:s.i]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var v string
	err := json.Unmarshal(raw, &v)
	return v, err
}
