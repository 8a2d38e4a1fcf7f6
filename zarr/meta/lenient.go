package meta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// lenient reports that the member at p violates a rule. It returns an error only if the parser's
// mode refuses the violation. The package reports all tolerated violations by this method.
func (p place) lenient(r rule.Rule, text string) error {
	if p.with.Lenient == nil {
		return nil
	}
	return p.err(p.with.Lenient(rule.Finding{Rule: r, Key: p.key, Pointer: p.pointer(), Text: text}))
}

// judged reports whether the caller wants reports of violations. Otherwise checks that take time
// can be skipped.
func (p place) judged() bool { return p.with.Lenient != nil }

// bareToken reports a violation if a value that may contain bare tokens contains one.
func (p place) bareToken(raw []byte) error {
	if !p.judged() || !p.bare {
		return nil
	}
	if _, err := check(raw, false); err != nil {
		return p.lenient(rule.BareToken, "")
	}
	return nil
}

// duplicates reports a violation if an object in the document has two members with the same name.
// It reports only the first such name.
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

// duplicate scans one value of checked text. It returns the first member name that occurs twice in
// one object.
func (s *scanner) duplicate() (name string, found bool) {
	inner := func() error {
		if again, ok := s.duplicate(); ok && !found {
			name, found = again, true
		}
		return nil
	}
	switch s.peek() {
	case '{':
		var first string
		var seen map[string]bool // allocated for the second member
		n := 0
		_ = s.each('}', func() error {
			s.space()
			member, err := s.unquote()
			if err != nil {
				return err
			}
			n++
			switch n {
			case 1:
				first = member
			case 2:
				seen = map[string]bool{first: true}
			}
			if seen[member] && !found {
				name, found = member, true
			}
			if n > 1 {
				seen[member] = true
			}
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

// spelledV2 reports a violation if a v2 data type is not written in the specified form. In
// structures it checks only for fields without a name and for the form of numbers.
func (p place) spelledV2(raw []byte, t dtype.Type, order dtype.Order) error {
	if !p.judged() {
		return nil
	}
	if raw[0] != '"' {
		if p.padded(raw) {
			if err := p.lenient(rule.DTypeSpelling, "a field without a name"); err != nil {
				return err
			}
		}
		return p.fractions(raw)
	}
	want, err := t.V2(order)
	var have string
	if err != nil || json.Unmarshal(raw, &have) != nil {
		return nil
	}
	var text string
	if json.Unmarshal(want, &text) != nil || have == text {
		switch t.(type) {
		case dtype.DateTime, dtype.TimeDelta:
			if !strings.Contains(have, "[") {
				return p.lenient(rule.DTypeSpelling, have+", which has no unit")
			}
		}
		if strings.ContainsAny(have[:1], "<>|") {
			return nil
		}
		return p.lenient(rule.DTypeSpelling, have+", which is not a NumPy typestring")
	}
	return p.lenient(rule.DTypeSpelling, have+", not "+text)
}

// spelledV3 reports a violation if a v3 data type is not written in the registered form.
func (p place) spelledV3(raw []byte, t dtype.Type) error {
	if !p.judged() {
		return nil
	}
	if err := p.fractions(raw); err != nil {
		return err
	}
	if s, ok := t.(*dtype.Struct); ok && (s.Legacy() || p.pairs(raw)) {
		return p.lenient(rule.LegacyStructured, "")
	}
	if bytes.Contains(raw, []byte("variable_length_bytes")) {
		return p.lenient(rule.UnregisteredSpelling, "variable_length_bytes, not bytes")
	}
	if bytes.Contains(raw, []byte("μs")) || bytes.Contains(raw, []byte("µs")) {
		return p.lenient(rule.UnregisteredSpelling, "μs, not us")
	}
	return nil
}

// padded reports whether a v2 structure, or one nested in it, has a field without a name.
func (p place) padded(raw []byte) bool {
	fields, err := p.list(raw)
	if err != nil {
		return false
	}
	for _, f := range fields {
		parts, err := p.list(f)
		if err == nil && len(parts) > 1 && (string(parts[0]) == `""` || parts[1][0] == '[' && p.padded(parts[1])) {
			return true
		}
	}
	return false
}

// pairs reports whether the fields of a v3 structure are written as in the data type "structured":
// as lists instead of objects.
func (p place) pairs(raw []byte) bool {
	_, config, err := p.named(raw)
	if err != nil {
		return false
	}
	list := config.get("fields")
	if list == nil {
		return false // a structure with a Form has another configuration
	}
	fields, err := elements(list)
	return err == nil && slices.ContainsFunc(fields, func(f []byte) bool { return f[0] == '[' })
}

// fractions reports a violation if a number in a data type is written with a point or an exponent.
// All numbers in data types are integers.
func (p place) fractions(raw []byte) error {
	if n := firstFraction(raw); n != nil {
		return p.lenient(rule.NumberSpelling, brief(n))
	}
	return nil
}

// firstFraction returns the first number with a point or an exponent in checked text, or nil.
func firstFraction(raw []byte) []byte {
	s := &scanner{b: raw}
	for s.i < len(raw) {
		from := s.i
		switch c := raw[s.i]; {
		case c == '"':
			_ = s.text()
		case c == '-' || c >= '0' && c <= '9':
			_ = s.number()
			if bytes.ContainsAny(raw[from:s.i], ".eE") {
				return raw[from:s.i]
			}
		}
		if s.i == from {
			s.i++
		}
	}
	return nil
}
