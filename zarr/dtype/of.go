package dtype

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Of returns the data type whose elements are Ts: Float32 for float32, Float16 for F16, String for
// string, V(4) for [4]byte, U(4) for [4]rune, and a Struct for a struct. Tags name the fields of a
// struct:
//
//	type row struct {
//		Time dtype.Instant `zarr:"time,M8[s]"`
//		Name [8]byte       `zarr:"name,S8"`
//		Pos  [3]float32    `zarr:"pos"`
//	}
//
// After the comma a tag contains a data type as accepted by Parse. It must fit the field, or its
// elements if the field is an array. A field without a tag is stored under its Go name. A field
// with the tag "-" is omitted. Of returns fault.Type if no data type fits T, or several do: the
// size of int is not fixed, and an Instant lacks a unit.
func Of[T any]() (Type, error) { return OfType(reflect.TypeFor[T]()) }

// OfType is like Of, for a reflected type.
func OfType(t reflect.Type) (Type, error) { return ofType(t, 0) }

func ofType(t reflect.Type, depth int) (Type, error) {
	bad := fault.Newf(fault.Type, "no data type has elements of the Go type %v", t)
	for b := range basics {
		if b.Fits(t) && (t.Kind() != reflect.Array || t == b.Go()) {
			return b, nil
		}
	}
	for v := range numVarLen {
		if v.Fits(t) {
			return v, nil
		}
	}
	switch {
	case depth > maxNest:
		return nil, bad
	case t.Kind() == reflect.Array && t.Len() > 0 && arrayOf(t, t.Len(), reflect.Uint8):
		return fixed('V', t.Len())
	case t.Kind() == reflect.Array && t.Len() > 0 && arrayOf(t, t.Len(), reflect.Int32):
		return fixed('U', t.Len())
	case t.Kind() == reflect.Struct:
		return structOf(t, depth)
	}
	return nil, bad
}

func structOf(t reflect.Type, depth int) (Type, error) {
	var fields []Field
	for _, g := range goFields(t) {
		f, err := fieldOf(g, depth)
		if err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", g.Name, t, err)
		}
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		return nil, fault.Newf(fault.Type, "the struct %v has no fields to store", t)
	}
	return structType(fields)
}

// goFields returns the fields of a Go struct that are stored.
func goFields(t reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		if tag, _ := f.Tag.Lookup("zarr"); tag != "-" && f.IsExported() {
			fields = append(fields, f)
		}
	}
	return fields
}

// label returns the name of a Go field in metadata, and the data type in its tag or "".
func label(f reflect.StructField) (name, typ string) {
	name, typ, _ = strings.Cut(f.Tag.Get("zarr"), ",")
	if name == "" {
		name = f.Name
	}
	return name, typ
}

func fieldOf(g reflect.StructField, depth int) (Field, error) {
	name, text := label(g)
	f := Field{Name: name}
	t := g.Type
	if text != "" {
		var err error
		if f.Type, err = Parse(text); err != nil {
			return f, fault.Newf(fault.Type, "data type in the tag: %w", err)
		}
		for !f.Type.Fits(t) {
			if t.Kind() != reflect.Array {
				return f, fault.Newf(fault.Type, "%v does not fit %v", g.Type, f.Type)
			}
			f.Shape = append(f.Shape, t.Len())
			t = t.Elem()
		}
		return f, nil
	}
	// Without a data type in the tag, an array is an array of elements, not text or raw bytes.
	for t.Kind() == reflect.Array && !isComplex(t) {
		f.Shape = append(f.Shape, t.Len())
		t = t.Elem()
	}
	var err error
	f.Type, err = ofType(t, depth+1)
	return f, err
}

// isComplex reports whether t is a Complex of a small float.
func isComplex(t reflect.Type) bool {
	for b := range basics {
		if i := b.info(); i.kind == reflect.Array && t == i.goes() {
			return true
		}
	}
	return false
}
