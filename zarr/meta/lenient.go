package meta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// lenient tells that the member at p breaks a rule and is read all the same, unless the parser's mode has it otherwise.
// Every leniency of the package passes through here.
func (p place) lenient(r rule.Rule, text string) error {
	if p.with.Lenient == nil {
		return nil
	}
	return p.err(p.with.Lenient(rule.Finding{Rule: r, Key: p.key, Pointer: p.pointer(), Text: text}))
}

// judged tells whether anybody wants to know of leniencies: looking for some of them costs time.
func (p place) judged() bool { return p.with.Lenient != nil }

// bareToken tells of bare tokens in a value that may hold some.
func (p place) bareToken(raw []byte) error {
	if !p.judged() || !p.bare {
		return nil
	}
	if _, err := check(raw, false); err != nil {
		return p.lenient(rule.BareToken, "")
	}
	return nil
}

// duplicates tells of the first object in a document that has two members of one name.
func (p place) duplicates(doc []byte) error {
	if !p.judged() {
		return nil
	}
	s := &scanner{b: doc, bare: true}
	if name, found := s.duplicate(); found {
		return p.lenient(rule.DuplicateMember, fmt.Sprintf("%.40q", name))
	}
	return nil
}

// duplicate passes over one value of checked text, and gives the first name that an object in it has twice.
func (s *scanner) duplicate() (name string, found bool) {
	inner := func() error {
		if again, ok := s.duplicate(); ok && !found {
			name, found = again, true
		}
		return nil
	}
	switch s.peek() {
	case '{':
		seen := map[string]bool{}
		_ = s.each('}', func() error {
			s.space()
			member, err := s.unquote()
			if err != nil {
				return err
			}
			if seen[member] && !found {
				name, found = member, true
			}
			seen[member] = true
			s.space()
			s.i++ // the colon
			return inner()
		})
	case '[':
		_ = s.each(']', inner)
	default:
		_ = s.value()
	}
	return name, found
}

// spelledV2 holds a v2 data type against the one spelling that the specification has for it. Fields of structures may
// name their shape as a number and are held to it only by their own types' reading.
func (p place) spelledV2(raw []byte, t dtype.Type, order dtype.Order) error {
	if !p.judged() || raw[0] != '"' {
		return nil
	}
	want, err := t.V2(order)
	var have string
	if err != nil || json.Unmarshal(raw, &have) != nil {
		return nil
	}
	var text string
	if json.Unmarshal(want, &text) != nil || have == text {
		if strings.ContainsAny(have[:1], "<>|") {
			return nil
		}
		return p.lenient(rule.DTypeSpelling, have+", which other writers have beside NumPy's")
	}
	return p.lenient(rule.DTypeSpelling, have+", where it has "+text)
}

// spelledV3 holds a v3 data type against its registered name.
func (p place) spelledV3(raw []byte, t dtype.Type) error {
	if !p.judged() {
		return nil
	}
	if s, ok := t.(*dtype.Struct); ok && s.Legacy() {
		return p.lenient(rule.LegacyStructured, "")
	}
	if bytes.Contains(raw, []byte("variable_length_bytes")) {
		return p.lenient(rule.UnregisteredSpelling, "variable_length_bytes, where it is bytes")
	}
	if bytes.Contains(raw, []byte("μs")) || bytes.Contains(raw, []byte("µs")) {
		return p.lenient(rule.UnregisteredSpelling, "μs, where it is us")
	}
	return nil
}

// spelledFill holds a fill value that was read against the kinds of JSON value that its format has for the data type.
func (p place) spelledFill(raw []byte, t dtype.Type, format int) error {
	if !p.judged() {
		return nil
	}
	form, err := t.FormatFill(t.DefaultFill(), format)
	if err != nil || len(form) == 0 {
		return nil
	}
	bad := func(want string) error { return p.lenient(rule.FillSpelling, brief(raw)+" is not "+want) }
	number := raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	switch {
	case (string(form) == "true" || string(form) == "false") && number:
		return bad("true or false")
	case number && isText(t):
		return bad("a string")
	case string(form) == "0" && number && strings.ContainsAny(string(raw), ".eE"):
		return bad("an integer without fraction and exponent")
	}
	return nil
}

// isText tells whether fill values of a data type are strings, which old writers left as 0.
func isText(t dtype.Type) bool {
	switch t.(type) {
	case dtype.S, dtype.U, dtype.V, dtype.R, dtype.Vary, *dtype.Struct:
		return true
	}
	return false
}

// spelledCodec holds the configuration of a codec against what is read beside it.
func (config object) spelledCodec(n Named, depth int) error {
	if !config.judged() || depth > maxNested {
		return nil
	}
	if n.Name == "sharding_indexed" && config.get("index_codecs") == nil {
		if err := config.lenient(rule.NoIndexCodecs, ""); err != nil {
			return err
		}
	}
	for _, m := range config.all {
		p := config.member(m.name)
		switch {
		case m.raw[0] == '[' && m.name == "codecs":
			all, err := p.list(m.raw)
			if err != nil {
				return err
			}
			for i, raw := range all {
				inner, config, err := p.index(i).named(raw)
				if err != nil {
					return nil //nolint:nilerr // whoever binds the codecs says what is wrong
				}
				if err := config.spelledCodec(inner, depth+1); err != nil {
					return err
				}
			}
		case isWhole(n.Name, m.name) && fraction(m.raw):
			if err := p.lenient(rule.NumberSpelling, brief(m.raw)); err != nil {
				return err
			}
		}
	}
	return nil
}

// isWhole tells whether a member of a codec's configuration is an integer, or a list of such.
func isWhole(codec, member string) bool {
	switch member {
	case "level", "clevel", "typesize", "blocksize", "order", "chunk_shape":
		return !strings.HasPrefix(codec, numcodecs)
	}
	return false
}

// fraction tells whether a number, or one of a list, is spelled with a point or an exponent.
func fraction(raw []byte) bool {
	return raw[0] != '"' && raw[0] != '{' && bytes.ContainsAny(raw, ".eE") && !bytes.ContainsAny(raw, "a\"")
}
