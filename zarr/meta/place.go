package meta

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// place is the position of a member in a document. Errors contain it as a JSON pointer, which is
// built only when it is needed, since most places occur in no error.
type place struct {
	key  string // key of the document
	bare bool   // the document contains bare tokens
	up   *place // the enclosing place; nil for the whole document
	name string
	num  int // index in a list, or -1 if the place is the member name of an object

	with Parser
	left *int64 // remaining memory for the attributes of the document
}

func (p place) member(name string) place { return place{p.key, p.bare, &p, name, -1, p.with, p.left} }

func (p place) index(i int) place { return place{p.key, p.bare, &p, "", i, p.with, p.left} }

// pointer returns the JSON pointer (RFC 6901).
func (p place) pointer() string {
	if p.up == nil {
		return ""
	}
	if p.num >= 0 {
		return p.up.pointer() + "/" + strconv.Itoa(p.num)
	}
	name := strings.ReplaceAll(strings.ReplaceAll(p.name, "~", "~0"), "/", "~1") // in this order: section 3
	return p.up.pointer() + "/" + name
}

func (p place) err(err error) error {
	if err == nil {
		return nil
	}
	return &fault.MetaError{Key: p.key, Pointer: p.pointer(), Err: err}
}

func (p place) bad(format string, args ...any) error {
	return p.err(fault.Newf(fault.Metadata, format, args...))
}

func (p place) unsupported(format string, args ...any) error {
	return p.err(fault.Newf(errors.ErrUnsupported, format, args...))
}

// wrong returns an error with the expected kind of value and the actual text.
func (p place) wrong(want string, raw []byte) error {
	return p.bad("%s is not %s", brief(raw), want)
}

// brief returns the first 40 bytes of stored text, for use in messages.
func brief(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}

// strict returns an error if a value contains bare tokens.
func (p place) strict(raw []byte) error {
	if !p.bare {
		return nil
	}
	_, err := check(raw, false)
	return p.err(err)
}

// object is a JSON object, split into its members.
type object struct {
	place
	all []member
}

// object parses an object.
func (p place) object(raw []byte) (object, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return object{}, p.wrong("an object", raw)
	}
	all, err := members(raw)
	return object{p, all}, p.err(err)
}

// get returns the text of a member's value, or nil if the object lacks the member.
func (o object) get(name string) []byte {
	for _, m := range o.all {
		if m.name == name {
			return m.raw
		}
	}
	return nil
}

// need returns the text and the place of a member's value, or an error if the object lacks the
// member.
func (o object) need(name string) ([]byte, place, error) {
	p := o.member(name)
	raw := o.get(name)
	if raw == nil {
		return nil, p, p.bad("the member is missing")
	}
	return raw, p, nil
}

func (p place) list(raw []byte) ([][]byte, error) {
	if raw[0] != '[' {
		return nil, p.wrong("a list", raw)
	}
	all, err := elements(raw)
	return all, p.err(err)
}

func (p place) text(raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", p.wrong("a string", raw)
	}
	s, err := (&scanner{b: raw}).unquote()
	return s, p.err(err)
}

// oneOf parses a string that must be one of words.
func (p place) oneOf(raw []byte, words ...string) (string, error) {
	s, err := p.text(raw)
	if err != nil {
		return "", err
	}
	if slices.Contains(words, s) {
		return s, nil
	}
	return "", p.wrong("one of "+strings.Join(words, ", "), raw)
}

// lengths parses a list of integers. Each must be at least low.
func (p place) lengths(raw []byte, low int) ([]int, error) {
	all, err := p.list(raw)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(all))
	for i, e := range all {
		if out[i], err = p.index(i).length(e, low); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p place) length(raw []byte, low int) (int, error) {
	if strings.Trim(string(raw), "0123456789") != "" {
		return 0, p.wrong("a non-negative integer", raw)
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0, p.err(fault.Newf(fault.Limit, "%s is more than %d, the maximum of an int", brief(raw), math.MaxInt))
	}
	if n < low {
		return 0, p.bad("a length must be at least %d, is %d", low, n)
	}
	return n, nil
}

// fits returns fault.Limit if an array of these lengths, with elements of size bytes, has 2^63
// bytes or more.
func (p place) fits(lengths []int, size int) error {
	total := int64(max(size, 1))
	if slices.Contains(lengths, 0) {
		return nil
	}
	for i, n := range lengths {
		if int64(n) > math.MaxInt64/total {
			return p.index(i).err(fault.Newf(fault.Limit, "%v elements of %d bytes are more than 2^63 bytes", lengths, max(size, 1)))
		}
		total *= int64(n)
	}
	return nil
}

// format checks the member "zarr_format".
func (o object) format(want string) error {
	raw, p, err := o.need("zarr_format")
	if err != nil {
		return err
	}
	switch s := string(raw); {
	case s == want:
		return nil
	case whole(raw, want):
		return p.lenient(rule.NumberSpelling, brief(raw))
	case len(s) == 1 && s > "3" && s <= "9":
		return p.unsupported("zarr_format %s", s)
	}
	return p.wrong(want, raw)
}

// whole reports whether a number that is written with a point or an exponent equals the integer
// want.
func whole(raw []byte, want string) bool {
	f, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && strconv.FormatFloat(f, 'f', -1, 64) == want
}

// attributes parses attributes, which may contain bare tokens.
func (p place) attributes(raw []byte) (Attrs, error) {
	if raw[0] != '{' {
		return nil, p.wrong("an object", raw)
	}
	if err := p.bareToken(raw); err != nil {
		return nil, err
	}
	if err := p.afford(raw); err != nil {
		return nil, err
	}
	v, err := (&scanner{b: raw, bare: true}).decode()
	if err != nil {
		return nil, p.err(err)
	}
	m := v.(map[string]any)
	delete(m, claim.Member) // these two are not attributes of the node
	delete(m, claim.RecordMember)
	return m, nil
}

// document parses a whole document, which must be an object.
func document(key string, doc []byte, with Parser) (object, error) {
	p, text, err := with.text(key, doc)
	if err != nil {
		return object{}, err
	}
	return p.object(text)
}

// text checks a whole document, and returns its place and the text of its value.
func (with Parser) text(key string, doc []byte) (place, []byte, error) {
	left := with.memory()
	p := place{key: key, with: with, left: &left}
	if bytes.HasPrefix(doc, byteOrderMark) {
		if err := p.lenient(rule.ByteOrderMark, ""); err != nil {
			return p, nil, err
		}
	}
	text := trimSpace(doc)
	saw, err := check(text, true)
	if err != nil {
		return p, nil, p.err(err)
	}
	p.bare = saw
	return p, text, p.duplicates(text)
}
