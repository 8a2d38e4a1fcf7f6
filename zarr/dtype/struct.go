package dtype

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Field is one member of a Struct.
type Field struct {
	Name string
	Type Type

	// Shape makes the field an array of Type in C order. Only v2 has such fields. nil means a
	// single value.
	Shape []int

	// Order is the stored byte order of the field. A field of a v2 structure may have its own
	// order. NoOrder means that the codec determines it, as in v3. The memory form is always
	// little-endian.
	Order Order

	// Offset is the offset of the field in an element's memory form, in bytes. NewStruct sets it.
	Offset int
}

// Elems returns the number of values of the field: the product of its Shape.
func (f Field) Elems() int {
	n := 1
	for _, d := range f.Shape {
		n *= d
	}
	return n
}

// Size returns the number of bytes of the field.
func (f Field) Size() int { return f.Elems() * f.Type.Size() }

// Bounds of a Struct, which limit the effect of hostile metadata. numpy allows 32 dimensions.
// Structures in files have a few dozen fields and are nested two deep.
const (
	maxFields = 1 << 14
	maxNest   = 32
	maxAxes   = 32
)

// Struct is a data type of packed, named fields: numpy's structured types, "struct" in v3, a list
// in v2. Create one with NewStruct. Compare two with [Equal].
type Struct struct {
	fields []Field
	size   int
	depth  int
	legacy bool // the v3 metadata had the name "structured"
	form   Form // nil for "struct"
	nested bool // a nested structure has a form
}

// structType is like NewStruct, but returns a nil Type on error.
func structType(fields []Field) (Type, error) {
	s, err := NewStruct(fields...)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// NewStruct returns a Struct of fields, in their order. It returns fault.Metadata if fields is
// empty, or if a field lacks a name, or has the name of another field or elements of variable
// length. It returns fault.Limit for too many fields, too deep nesting, and elements of more than
// MaxSize bytes.
func NewStruct(fields ...Field) (*Struct, error) {
	s := &Struct{fields: slices.Clone(fields), depth: 1}
	if len(fields) == 0 {
		return nil, fault.Newf(fault.Metadata, "the structure has no fields")
	}
	if len(fields) > maxFields {
		return nil, fault.Newf(fault.Limit, "the structure has %d fields, more than %d", len(fields), maxFields)
	}
	seen := make(map[string]bool, len(fields))
	for i := range s.fields {
		f := &s.fields[i]
		f.Offset = s.size
		if err := f.check(); err != nil {
			return nil, err
		}
		if seen[f.Name] {
			return nil, fault.Newf(fault.Metadata, "two fields have the name %.40q", f.Name)
		}
		seen[f.Name] = true
		if inner, ok := f.Type.(*Struct); ok {
			s.depth = max(s.depth, inner.depth+1)
			s.nested = s.nested || inner.Formed()
		}
		s.size += f.Size()
		if s.size > MaxSize {
			return nil, fault.Newf(fault.Limit, "the structure has more than %d bytes", MaxSize)
		}
	}
	if s.depth > maxNest {
		return nil, fault.Newf(fault.Limit, "structures are nested %d deep, more than %d", s.depth, maxNest)
	}
	return s, nil
}

func (f *Field) check() error {
	if f.Name == "" {
		return fault.Newf(fault.Metadata, "a field has no name")
	}
	if f.Type == nil {
		return fault.Newf(fault.Metadata, "the field %.40q has no type", f.Name)
	}
	if f.Type.Size() == 0 {
		return fault.Newf(fault.Metadata, "the field %.40q must have a fixed size, is %v", f.Name, f.Type)
	}
	if len(f.Shape) > maxAxes {
		return fault.Newf(fault.Limit, "the field %.40q has %d axes, more than %d", f.Name, len(f.Shape), maxAxes)
	}
	n := f.Type.Size()
	for _, d := range f.Shape {
		if d < 1 {
			return fault.Newf(fault.Metadata, "the field %.40q has the invalid shape %v", f.Name, f.Shape)
		}
		if d > MaxSize/n {
			return fault.Newf(fault.Limit, "the field %.40q has more than %d bytes", f.Name, MaxSize)
		}
		n *= d
	}
	if !f.Type.HasOrder() {
		f.Order = NoOrder
	}
	f.Shape = slices.Clone(f.Shape)
	return nil
}

// Fields returns the fields in order, with their offsets. The caller owns the slice; the shapes are
// shared.
func (s *Struct) Fields() []Field { return slices.Clone(s.fields) }

// Lookup finds a field by its name, and a nested field by the names on its path. The Offset of the
// result is relative to the outermost element. The Shape of the result is the Shape of the
// enclosing fields followed by that of the field. The result strides contains the byte distances
// between values in each dimension of Shape: if enclosing fields are arrays, the values of a nested
// field are not contiguous.
func (s *Struct) Lookup(path ...string) (f Field, strides []int, ok bool) {
	if len(path) == 0 {
		return Field{}, nil, false
	}
	i := slices.IndexFunc(s.fields, func(f Field) bool { return f.Name == path[0] })
	if i < 0 {
		return Field{}, nil, false
	}
	f = s.fields[i]
	own, step := make([]int, len(f.Shape)), f.Type.Size()
	for k := len(own) - 1; k >= 0; k-- {
		own[k] = step
		step *= f.Shape[k]
	}
	if len(path) == 1 {
		return f, own, true
	}
	inner, isStruct := f.Type.(*Struct)
	if !isStruct {
		return Field{}, nil, false
	}
	g, rest, ok := inner.Lookup(path[1:]...)
	if !ok {
		return Field{}, nil, false
	}
	g.Offset += f.Offset
	g.Shape = slices.Concat(f.Shape, g.Shape)
	return g, slices.Concat(own, rest), true
}

// maxText is the maximum length of the result of String. Errors contain this text, and names may
// have any length.
const maxText = 200

// String returns the fields, such as struct{"a" int32, "b" S3, "c" [2 2]float64}. It truncates a
// long list.
func (s *Struct) String() string {
	if s.form != nil {
		return s.form.String()
	}
	var b strings.Builder
	b.WriteString("struct{")
	for i, f := range s.fields {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > maxText {
			b.WriteString("…")
			break
		}
		fmt.Fprintf(&b, "%.40q ", f.Name)
		if len(f.Shape) > 0 {
			b.WriteString("[")
			for k, d := range f.Shape {
				if k > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(strconv.Itoa(d))
			}
			b.WriteString("]")
		}
		b.WriteString(f.Type.String())
	}
	b.WriteString("}")
	return b.String()
}

// Size returns the sum of the fields' sizes.
func (s *Struct) Size() int { return s.size }

// HasOrder reports whether a codec must determine the byte order of a field.
func (s *Struct) HasOrder() bool {
	return slices.ContainsFunc(s.fields, func(f Field) bool { return f.Type.HasOrder() && f.Order == NoOrder })
}

// part is an operation on one field of every element.
type part struct {
	off, size int
	do        func(b []byte)
}

// over returns a function that applies the parts to every element, or nil if there are none.
func (s *Struct) over(parts []part) func(b []byte) {
	if len(parts) == 0 {
		return nil
	}
	size := s.size
	return func(b []byte) {
		for ; len(b) >= size; b = b[size:] {
			for _, p := range parts {
				p.do(b[p.off : p.off+p.size])
			}
		}
	}
}

// reorder implements [Reorder] for a Struct. If own is true, the function that it returns also
// converts fields that have their own order.
func (s *Struct) reorder(o Order, own bool) func(b []byte) {
	var parts []part
	for _, f := range s.fields {
		order := f.Order
		switch {
		case order == NoOrder:
			order = o
		case !own:
			continue
		}
		do := Reorder(f.Type, order)
		if inner, ok := f.Type.(*Struct); ok && !own {
			do = inner.reorder(order, false)
		}
		if do != nil {
			parts = append(parts, part{f.Offset, f.Size(), do})
		}
	}
	return s.over(parts)
}

// Swap reverses the bytes of each number, except in fields that have their own order.
func (s *Struct) Swap(b []byte) {
	if do := s.reorder(Big, false); do != nil {
		do(b)
	}
}

// Canon applies the Canon of every field.
func (s *Struct) Canon(b []byte) {
	if do := s.canon(); do != nil {
		do(b)
	}
}

func (s *Struct) canon() func(b []byte) {
	var parts []part
	for _, f := range s.fields {
		if do := Canon(f.Type); do != nil {
			parts = append(parts, part{f.Offset, f.Size(), do})
		}
	}
	return s.over(parts)
}

// Check returns fault.Type if a field is not in memory form.
func (s *Struct) Check(b []byte) error {
	for i := 0; len(b) >= s.size; i++ {
		for _, f := range s.fields {
			c, ok := f.Type.(Checker)
			if !ok {
				continue
			}
			if err := c.Check(b[f.Offset : f.Offset+f.Size()]); err != nil {
				return fault.Newf(fault.Type, "element %d, field %.40q: %w", i, f.Name, err)
			}
		}
		b = b[s.size:]
	}
	return nil
}

// DefaultFill returns an element whose bytes are all zero, as in zarr-python. The default of a time
// in a structure is therefore 1970-01-01, not NaT.
func (s *Struct) DefaultFill() []byte { return make([]byte, s.size) }

// ParseFill parses a fill value. In v3 it is an object with a fill value for each field. In v2, and
// in old v3 documents, it is base64 of the stored element; missing bytes at the end are zero. In v2
// the number 0 means that all bytes are zero.
func (s *Struct) ParseFill(raw json.RawMessage, format int) ([]byte, error) {
	if err := s.only3(format); err != nil {
		return nil, err
	}
	if s.form != nil {
		return s.form.ParseFill(raw)
	}
	text := strings.TrimSpace(string(raw))
	if isZero(raw, format) {
		return make([]byte, s.size), nil
	}
	if format < 3 || strings.HasPrefix(text, `"`) {
		b, err := base64Fill(raw, s.size)
		if err != nil {
			return nil, err
		}
		if do := Reorder(s, Little); do != nil {
			do(b)
		}
		s.Canon(b)
		if err := s.Check(b); err != nil {
			return nil, fault.Newf(fault.Metadata, "fill value %s: %w", abbreviate(raw), err)
		}
		return b, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, fault.Newf(fault.Metadata, "fill value %s of a structure is not an object", abbreviate(raw))
	}
	if len(members) != len(s.fields) {
		return nil, fault.Newf(fault.Metadata, "fill value %s has %d members for %d fields", abbreviate(raw), len(members), len(s.fields))
	}
	b := make([]byte, 0, s.size)
	for _, f := range s.fields {
		m, ok := members[f.Name]
		if !ok {
			return nil, fault.Newf(fault.Metadata, "fill value %s has no member %.40q", abbreviate(raw), f.Name)
		}
		one, err := f.parseFill(m, format, f.Shape)
		if err != nil {
			return nil, fault.Newf(fault.Metadata, "field %.40q: %w", f.Name, err)
		}
		b = append(b, one...)
	}
	return b, nil
}

// parseFill parses a field's fill value. The fill value of an array is a nested list, which no
// specification defines.
func (f Field) parseFill(raw json.RawMessage, format int, shape []int) ([]byte, error) {
	if len(shape) == 0 {
		return f.Type.ParseFill(raw, format)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) != shape[0] {
		return nil, fault.Newf(fault.Metadata, "the fill value of an array field must be a list of %d values, is %s", shape[0], abbreviate(raw))
	}
	var b []byte
	for _, m := range list {
		one, err := f.parseFill(m, format, shape[1:])
		if err != nil {
			return nil, err
		}
		b = append(b, one...)
	}
	return b, nil
}

// FormatFill returns an object in v3, and base64 of the stored element in v2.
func (s *Struct) FormatFill(fill []byte, format int) (json.RawMessage, error) {
	if err := wantFill(s, fill); err != nil {
		return nil, err
	}
	if err := s.only3(format); err != nil {
		return nil, err
	}
	if s.form != nil {
		return s.form.FormatFill(fill)
	}
	if format < 3 {
		b := slices.Clone(fill)
		if do := Reorder(s, Little); do != nil {
			do(b)
		}
		return json.RawMessage(`"` + base64.StdEncoding.EncodeToString(b) + `"`), nil
	}
	out := []byte{'{'}
	for i, f := range s.fields {
		if i > 0 {
			out = append(out, ',')
		}
		one, err := f.formatFill(fill[f.Offset:f.Offset+f.Size()], format, f.Shape)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, appendString(nil, f.Name)...), ':'), one...)
	}
	return append(out, '}'), nil
}

func (f Field) formatFill(fill []byte, format int, shape []int) (json.RawMessage, error) {
	if len(shape) == 0 {
		return f.Type.FormatFill(fill, format)
	}
	out, step := []byte{'['}, len(fill)/shape[0]
	for i := range shape[0] {
		if i > 0 {
			out = append(out, ',')
		}
		one, err := f.formatFill(fill[i*step:(i+1)*step], format, shape[1:])
		if err != nil {
			return nil, err
		}
		out = append(out, one...)
	}
	return append(out, ']'), nil
}

// V2 returns the list of fields, such as [["a","<i4"],["b","|S3"]]. Fields without their own byte
// order get the order o.
func (s *Struct) V2(o Order) (json.RawMessage, error) {
	if err := s.only3(2); err != nil {
		return nil, err
	}
	out := []byte{'['}
	for i, f := range s.fields {
		if i > 0 {
			out = append(out, ',')
		}
		order := f.Order
		if order == NoOrder {
			order = o
		}
		t, err := f.Type.V2(order)
		if err != nil {
			return nil, err
		}
		if t[0] == '"' && t[1] >= 'a' && t[1] <= 'z' { // TensorStore does not accept its own names in a field
			return nil, fault.Newf(errors.ErrUnsupported, "v2 cannot have a field of %v", f.Type)
		}
		out = append(append(append(append(out, '['), appendString(nil, f.Name)...), ','), t...)
		if len(f.Shape) > 0 {
			raw, err := json.Marshal(f.Shape)
			if err != nil {
				return nil, err
			}
			out = append(append(out, ','), raw...)
		}
		out = append(out, ']')
	}
	return append(out, ']'), nil
}

// V3 returns "struct" with its fields. It returns errors.ErrUnsupported if a field is an array,
// which v3 lacks, and fault.Metadata if a field has its own byte order; see [Uniform].
func (s *Struct) V3() (json.RawMessage, error) {
	if s.form != nil {
		return s.form.V3()
	}
	out := []byte(`{"name":"struct","configuration":{"fields":[`)
	for i, f := range s.fields {
		if len(f.Shape) > 0 {
			return nil, fault.Newf(errors.ErrUnsupported, "v3 has no array fields, but the field %.40q has the shape %v", f.Name, f.Shape)
		}
		if f.Order != NoOrder {
			return nil, fault.Newf(fault.Metadata, "fields in v3 have no byte order, but the field %.40q has one", f.Name)
		}
		t, err := f.Type.V3()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(append(append(out, `{"name":`...), appendString(nil, f.Name)...), `,"data_type":`...), t...), '}')
	}
	return append(out, `]}}`...), nil
}

// Legacy reports whether metadata named the type "structured", the earlier name of "struct". The
// stored bytes of a legacy type are little-endian if no byte order is specified.
func (s *Struct) Legacy() bool { return s.legacy }

// Go returns a struct type with a Go field for each field of s, tagged with the field's name.
func (s *Struct) Go() reflect.Type {
	fields := make([]reflect.StructField, len(s.fields))
	for i, f := range s.fields {
		t := f.Type.Go()
		for _, d := range slices.Backward(f.Shape) {
			t = reflect.ArrayOf(d, t)
		}
		fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: t, Tag: reflect.StructTag(`zarr:` + strconv.Quote(f.Name))}
	}
	return reflect.StructOf(fields)
}
