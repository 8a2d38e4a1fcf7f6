package cdl

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// MaxDepth is the maximum depth of nested groups. netCDF does not limit the depth, but files have
// few levels.
const MaxDepth = 32

// Parse parses the header of a file. It returns an error for a data section, because a [File] does
// not contain values. It sets the length of unlimited dimensions to 0.
func Parse(text string) (*File, error) {
	p := &parser{lexer{rest: text, line: 1, last: nil}}
	f := &File{}
	if err := p.keyword("netcdf"); err != nil {
		return nil, err
	}
	if t, err := p.peek(); err == nil && t.kind != '{' { // ncgen accepts a dataset without a name
		name, err := p.expect('w', "the name of the dataset")
		if err != nil {
			return nil, err
		}
		f.Name = name.text
	}
	if _, err := p.expect('{', "{"); err != nil {
		return nil, err
	}
	if err := p.group(&f.Root, nil, 0); err != nil {
		return nil, err
	}
	t, err := p.next()
	if err == nil && t.kind != 0 {
		err = p.errorf(t.line, "there is text after the end of the dataset: %q", t.text)
	}
	return f, err
}

type parser struct{ lexer }

// scope contains the names in a group.
type scope struct {
	*Group
	outer  *scope
	dims   map[string]bool
	vars   map[string]int    // index of a variable in Vars
	attrs  map[[2]string]int // name of a variable, or "" for the group, and name of its attribute
	groups map[string]bool
}

// hasDim reports whether the group or a group above it declares a dimension.
func (s *scope) hasDim(name string) bool {
	for ; s != nil; s = s.outer {
		if s.dims[name] {
			return true
		}
	}
	return false
}

// expect returns the next token. It returns an error if the token has another kind.
func (p *parser) expect(kind byte, what string) (token, error) {
	t, err := p.next()
	if err == nil && t.kind != kind {
		err = p.errorf(t.line, "expected %s, found %q", what, t.text)
	}
	return t, err
}

func (p *parser) keyword(word string) error {
	t, err := p.expect('w', word)
	if err == nil && t.raw != word {
		err = p.errorf(t.line, "expected %s, found %q", word, t.raw)
	}
	return err
}

// group parses the content of a group, up to and including its closing brace.
func (p *parser) group(to *Group, outer *scope, depth int) error {
	g := &scope{to, outer, map[string]bool{}, map[string]int{}, map[[2]string]int{}, map[string]bool{}}
	if depth > MaxDepth {
		return p.errorf(p.line, "groups are nested more than %d deep", MaxDepth)
	}
	section := ""
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.kind == '}':
			return nil
		case t.kind == ':':
			if err := p.attribute(g, "", &g.Attrs, nil); err != nil {
				return err
			}
			continue
		case t.kind != 'w':
			return p.errorf(t.line, "expected a declaration, found %q", t.text)
		}
		if ok, err := p.section(t); err != nil {
			return err
		} else if ok {
			if section = t.raw; section == "group" {
				if err := p.subgroup(g, depth); err != nil {
					return err
				}
			}
			continue
		}
		if section == "dimensions" {
			err = p.dimension(g, t)
		} else {
			err = p.declaration(g, t)
		}
		if err != nil {
			return err
		}
	}
}

// section reports whether a word starts a section, and consumes the colon after it. A variable may
// have the name of a section. In that case, the name of an attribute follows the colon without a
// space.
func (p *parser) section(t token) (bool, error) {
	switch t.raw {
	case "dimensions", "variables", "group", "data", "types":
	default:
		return false, nil
	}
	colon, err := p.peek()
	if err != nil || colon.kind != ':' || p.rest != "" && isWord(p.rest[0]) {
		return false, err
	}
	p.last = nil
	switch t.raw {
	case "types":
		return false, fault.Newf(errors.ErrUnsupported, "CDL, line %d: user-defined types are not supported", t.line)
	case "data":
		return false, fault.Newf(errors.ErrUnsupported, "CDL, line %d: a data section is not supported: print the header only, as ncdump -h does", t.line)
	}
	return true, nil
}

func (p *parser) subgroup(g *scope, depth int) error {
	name, err := p.expect('w', "the name of a group")
	if err != nil {
		return err
	}
	if g.groups[name.text] {
		return p.errorf(name.line, "the group %q is declared twice", name.text)
	}
	if _, err := p.expect('{', "{"); err != nil {
		return err
	}
	g.groups[name.text] = true
	sub := &Group{Name: name.text}
	g.Groups = append(g.Groups, sub)
	return p.group(sub, g, depth+1)
}

// dimension parses "x = 3 ;" or "x = 3, y = UNLIMITED ;" after the first name.
func (p *parser) dimension(g *scope, name token) error {
	for {
		d := Dim{Name: name.text}
		if g.dims[d.Name] {
			return p.errorf(name.line, "the dimension %q is declared twice", d.Name)
		}
		if _, err := p.expect('=', "="); err != nil {
			return err
		}
		t, err := p.expect('w', "the length of a dimension")
		if err != nil {
			return err
		}
		if d.Unlimited = strings.EqualFold(t.raw, "unlimited"); !d.Unlimited {
			if d.Len, err = strconv.Atoi(strings.TrimRight(t.raw, "uUlL")); err != nil || d.Len < 0 {
				return p.errorf(t.line, "the length of the dimension %q must be a number or UNLIMITED, is %q", d.Name, t.raw)
			}
		}
		g.dims[d.Name] = true
		g.Dims = append(g.Dims, d)
		if t, err = p.next(); err != nil {
			return err
		}
		switch t.kind {
		case ';':
			return nil
		case ',':
		default:
			return p.errorf(t.line, "the length of a dimension must end in a semicolon, is followed by %q", t.text)
		}
		if name, err = p.expect('w', "the name of a dimension"); err != nil {
			return err
		}
	}
}

// typeNamed returns the type with a name in CDL.
func typeNamed(name string) (Type, bool) {
	switch name {
	case "long":
		return Int, true
	case "real":
		return Float, true
	}
	i := slices.Index(names(), name)
	return Type(max(i, 0)), i >= 0
}

// declaration parses a declaration of variables or of an attribute. first is its first word: a type
// or the name of a variable.
func (p *parser) declaration(g *scope, first token) error {
	next, err := p.next()
	if err != nil {
		return err
	}
	kind, isType := typeNamed(first.raw)
	if next.kind == ':' {
		if v := g.variable(first.text); v != nil && !(isType && next.spaced) {
			return p.attribute(g, v.Name, &v.Attrs, nil)
		}
		if isType {
			return p.attribute(g, "", &g.Attrs, &kind)
		}
		return p.errorf(first.line, "the attribute belongs to the variable %q, which is not declared", first.text)
	}
	if next.kind != 'w' {
		return p.errorf(next.line, "expected the name of a variable, found %q", next.text)
	}
	if !isType {
		return fault.Newf(errors.ErrUnsupported, "CDL, line %d: the type %q is not supported", first.line, first.text)
	}
	after, err := p.peek()
	if err != nil {
		return err
	}
	if after.kind == ':' {
		p.last = nil
		v := g.variable(next.text)
		if v == nil {
			return p.errorf(next.line, "the attribute belongs to the variable %q, which is not declared", next.text)
		}
		return p.attribute(g, v.Name, &v.Attrs, &kind)
	}
	return p.variables(g, kind, next)
}

// variable returns the variable with a name, or nil.
func (s *scope) variable(name string) *Var {
	if i, ok := s.vars[name]; ok {
		return &s.Vars[i]
	}
	return nil
}

// variables parses "a(x, y), b ;" after the first name.
func (p *parser) variables(g *scope, kind Type, name token) error {
	for {
		v := Var{Name: name.text, Type: kind}
		if g.variable(v.Name) != nil {
			return p.errorf(name.line, "the variable %q is declared twice", v.Name)
		}
		t, err := p.next()
		if err == nil && t.kind == '(' {
			if v.Dims, err = p.dims(g); err == nil {
				t, err = p.next()
			}
		}
		if err != nil {
			return err
		}
		g.vars[v.Name] = len(g.Vars)
		g.Vars = append(g.Vars, v)
		switch t.kind {
		case ';':
			return nil
		case ',':
		default:
			return p.errorf(t.line, "the declaration of %q must end in a semicolon, is followed by %q", v.Name, t.text)
		}
		if name, err = p.expect('w', "the name of a variable"); err != nil {
			return err
		}
	}
}

// maxRank is the maximum number of dimensions of a variable: NC_MAX_VAR_DIMS of netCDF.
const maxRank = 1024

// dims parses the names of dimensions after the opening parenthesis.
func (p *parser) dims(g *scope) ([]string, error) {
	var dims []string
	for {
		name, err := p.expect('w', "the name of a dimension")
		if err != nil {
			return nil, err
		}
		if !g.hasDim(name.text) {
			return nil, p.errorf(name.line, "the dimension %q is not declared", name.text)
		}
		if dims = append(dims, name.text); len(dims) > maxRank {
			return nil, p.errorf(name.line, "a variable has more than %d dimensions", maxRank)
		}
		t, err := p.next()
		switch {
		case err != nil:
			return nil, err
		case t.kind == ')':
			return dims, nil
		case t.kind != ',':
			return nil, p.errorf(t.line, "a list of dimensions must end in ), is followed by %q", t.text)
		}
	}
}

// attribute parses "name = values ;" after the colon and appends the attribute to to. variable is
// the name of its variable, or "" for an attribute of the group. kind is the declared type, or nil.
func (p *parser) attribute(g *scope, variable string, to *[]Attr, kind *Type) error {
	name, err := p.expect('w', "the name of an attribute")
	if err == nil {
		_, err = p.expect('=', "=")
	}
	if err != nil {
		return err
	}
	a := Attr{Name: name.text}
	id := [2]string{variable, a.Name}
	for {
		t, err := p.next()
		if err != nil {
			return err
		}
		var of Type
		var v any
		switch t.kind {
		case 's':
			of, v = Char, t.text
		case 'w':
			if of, v, err = value(t.raw); err != nil {
				return p.errorf(t.line, "the attribute %q: %w", a.Name, err)
			}
		default:
			return p.errorf(t.line, "expected the value of the attribute %q, found %q", a.Name, t.text)
		}
		if len(a.Values) == 0 {
			a.Type = of
		} else if of != a.Type {
			return p.errorf(t.line, "the values of the attribute %q must have one type", a.Name)
		}
		a.Values = append(a.Values, v)
		if t, err = p.next(); err != nil {
			return err
		}
		if t.kind == ';' {
			break
		}
		if t.kind != ',' {
			return p.errorf(t.line, "the attribute %q must end in a semicolon, is followed by %q", a.Name, t.text)
		}
	}
	if err := a.declare(kind); err != nil {
		return p.errorf(name.line, "the attribute %q: %w", a.Name, err)
	}
	if i, again := g.attrs[id]; again { // the last one counts, as in ncgen
		(*to)[i] = a
		return nil
	}
	g.attrs[id] = len(*to)
	*to = append(*to, a)
	return nil
}

// declare converts the values of an attribute to its declared type. It joins strings of type Char
// to one string.
func (a *Attr) declare(kind *Type) error {
	if a.Type == Char {
		if kind != nil && *kind == String {
			a.Type = String
			return nil
		}
		if kind != nil && *kind != Char {
			return fmt.Errorf("a text is not a value of the type %v", *kind)
		}
		var b strings.Builder
		for _, v := range a.Values {
			s, _ := v.(string)
			b.WriteString(s)
		}
		a.Values = []any{b.String()}
		return nil
	}
	if kind == nil {
		return nil
	}
	for i, v := range a.Values {
		n, ok := Convert(*kind, v)
		if !ok {
			return fmt.Errorf("%v is not a value of the type %v", v, *kind)
		}
		a.Values[i] = n
	}
	a.Type = *kind
	return nil
}

// value parses a number. The suffix determines the type.
func value(text string) (Type, any, error) {
	switch strings.TrimLeft(text, "+-") {
	case "NaN", "NaNf", "nan":
		return floatType(text), math.Float64frombits(0x7ff8 << 48), nil // the NaN of zarr.json, without a payload
	case "Infinity", "Infinityf", "inf", "inff":
		sign := 1
		if strings.HasPrefix(text, "-") {
			sign = -1
		}
		return floatType(text), math.Inf(sign), nil
	}
	lower := strings.ToLower(text)
	hex := strings.HasPrefix(strings.TrimLeft(lower, "+-"), "0x")
	if !hex && (strings.ContainsAny(lower, ".ed") || strings.HasSuffix(lower, "f")) {
		kind, bits := Double, 64
		if strings.HasSuffix(lower, "f") {
			kind, bits = Float, 32
		}
		f, err := strconv.ParseFloat(strings.Replace(strings.TrimRight(lower, "fd"), "d", "e", 1), bits)
		if err != nil || strings.ContainsAny(lower, "px_") {
			return 0, nil, fmt.Errorf("%q is not a number of CDL", text)
		}
		return kind, f, nil
	}
	digits := strings.TrimRight(lower, "usl")
	if !hex {
		digits = strings.TrimSuffix(digits, "b")
		digits = strings.TrimRight(digits, "u")
	}
	kind, ok := map[string]Type{"": Int, "l": Int, "b": Byte, "ub": UByte, "s": Short, "us": UShort, "u": UInt, "ul": UInt, "ll": Int64, "ull": UInt64}[lower[len(digits):]]
	base := 10
	if hex {
		base = 0
	}
	var v any
	n, err := strconv.ParseInt(digits, base, 64)
	v = n
	if err != nil {
		v, err = strconv.ParseUint(strings.TrimPrefix(digits, "+"), base, 64)
	}
	if err != nil || !ok || strings.Contains(digits, "_") {
		return 0, nil, fmt.Errorf("%q is not a number of CDL", text)
	}
	typed, ok := Convert(kind, v)
	if !ok && kind == Int { // like ncgen, use a longer type if an integer without a suffix needs it
		for _, kind = range []Type{Int64, UInt64} {
			if typed, ok = Convert(kind, v); ok {
				break
			}
		}
	}
	if !ok {
		return 0, nil, fmt.Errorf("%q is out of the range of the type %v", text, kind)
	}
	return kind, typed, nil
}

func floatType(text string) Type {
	if strings.HasSuffix(text, "f") && !strings.HasSuffix(text, "inf") {
		return Float
	}
	return Double
}
