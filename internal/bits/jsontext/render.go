package jsontext

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Style has options of Python's json.dumps.
type Style struct {
	ASCII  bool // ensure_ascii: escape characters outside of ASCII
	Sorted bool // sort_keys: sort members by name
	Tokens bool // allow_nan: write NaN, Infinity and -Infinity
}

// Render appends a value in canonical form as Python's json module writes it, without white space.
//
// It returns fault.Type if the value contains bytes. Unless s.Tokens is set, it also returns
// fault.Type for a NaN or an infinity.
func (s Style) Render(dst, canon []byte) ([]byte, error) {
	switch canon[0] {
	case '"':
		return s.text(dst, canon), nil
	case '[':
		dst = append(dst, '[')
		first := true
		for v := range List(canon) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			var err error
			if dst, err = s.Render(dst, v); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case '{':
		if name, ok := Float(canon); ok {
			if !s.Tokens {
				return dst, fault.Newf(fault.Type, "the codec does not allow %s", name)
			}
			return append(dst, name...), nil
		}
		return s.object(dst, canon)
	}
	return append(dst, canon...), nil
}

func (s Style) object(dst, canon []byte) ([]byte, error) {
	if _, ok := Bytes(canon); ok {
		return dst, fault.Newf(fault.Type, "JSON cannot represent bytes")
	}
	type member struct{ name, value []byte }
	var all []member
	for name, v := range Object(canon) {
		all = append(all, member{name, v})
	}
	if s.Sorted { // by code points, which is the order of their UTF-8 form
		slices.SortStableFunc(all, func(a, b member) int { return bytes.Compare(plain(a.name), plain(b.name)) })
	}
	dst = append(dst, '{')
	for i, m := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(s.text(dst, m.name), ':')
		var err error
		if dst, err = s.Render(dst, m.value); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// plain returns a name without quotes and escapes. A name that does not have a UTF-8 form keeps its
// escapes.
func plain(name []byte) []byte {
	if text, ok := Unquote(name); ok {
		return []byte(text)
	}
	return name[1:]
}

// text appends a string in canonical form, with the escapes of s.
func (s Style) text(dst, canon []byte) []byte {
	if !s.ASCII {
		return append(dst, canon...)
	}
	for len(canon) > 0 {
		if c := canon[0]; c < utf8.RuneSelf {
			if c == 0x7f {
				dst = appendUnit(dst, 0x7f)
			} else {
				dst = append(dst, c)
			}
			canon = canon[1:]
			continue
		}
		r, n := utf8.DecodeRune(canon)
		if a, b := utf16.EncodeRune(r); a != utf8.RuneError {
			dst = appendUnit(appendUnit(dst, a), b)
		} else {
			dst = appendUnit(dst, r)
		}
		canon = canon[n:]
	}
	return dst
}
